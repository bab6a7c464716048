import { describe, expect, it } from '@jest/globals';
import { POLICY_WAIVER } from './policy-waiver.js';

const SPEC = {
  policies: ['cluster-control-plane-ha'],
  reason: 'Load tests are thrown away',
  expiresAt: '2027-03-31T00:00:00Z',
};

describe('a PolicyWaiver', () => {
  it.each([
    { name: 'no rule', change: { policies: [] }, field: 'policies' },
    { name: 'all rules there will ever be', change: { policies: ['*'] }, field: 'policies.0' },
    { name: 'all of them in other words', change: { policies: ['*-*.*'] }, field: 'policies.0' },
    { name: 'what is no name', change: { policies: ['Aws IAM'] }, field: 'policies.0' },
    { name: 'no cluster', change: { clusters: [] }, field: 'clusters' },
    { name: 'no reason', change: { reason: undefined }, field: 'reason' },
    { name: 'a reason that says nothing', change: { reason: '   because   ' }, field: 'reason' },
    { name: 'no end', change: { expiresAt: undefined }, field: 'expiresAt' },
    { name: 'an end on some day', change: { expiresAt: '2027-03-31' }, field: 'expiresAt' },
    { name: 'an end by a clock elsewhere', change: { expiresAt: '2027-03-31T00:00:00+02:00' }, field: 'expiresAt' },
    { name: 'what it does not know', change: { namespaces: ['a'] }, field: '' },
  ])('cannot have $name', ({ change, field }) => {
    const { error } = POLICY_WAIVER.body.safeParse({ spec: { ...SPEC, ...change } });
    expect(error?.issues.map(({ path }) => path.slice(1).join('.'))).toEqual([field]);
  });

  it.each([
    { name: 'a family of rules', change: { policies: ['aws-iam-*', 'x'] } },
    { name: 'a family of clusters', change: { clusters: ['test-*', 'demo'] } },
    { name: 'fields', change: { fields: ['spec.nodePools[*].replicas'] } },
    { name: 'a ticket', change: { ticket: 'https://tickets.example.com/RISK-1' } },
  ])('can have $name', ({ change }) => {
    expect(POLICY_WAIVER.body.safeParse({ spec: { ...SPEC, ...change } }).error).toBeUndefined();
  });
});
