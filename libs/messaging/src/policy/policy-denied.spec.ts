import type { PolicyViolation } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { policyDenied } from './policy-denied.js';

function violation(policy: string, level: PolicyViolation['level']): PolicyViolation {
  const effect = level === 'must' ? 'deny' : 'warn';
  return {
    policy,
    level,
    severity: 'medium',
    effect,
    title: policy,
    field: `f.${policy}`,
    message: 'Is wrong',
    remedy: 'Fix it',
    references: [],
  };
}

const plan = { name: 'The plan', details: { kind: 'Infrastructure', name: 'demo' } };

describe('policyDenied', () => {
  it('names rule, level, field and remedy of every broken must, and of nothing else', () => {
    const error = policyDenied(plan, [
      violation('one', 'must'),
      violation('two', 'must'),
      violation('three', 'should'),
    ]);

    expect(error).toMatchObject({
      code: 'Forbidden',
      details: {
        kind: 'Infrastructure',
        name: 'demo',
        reason: 'PolicyDenied',
        field: 'f.one',
        remedy: 'Fix it',
        causes: [
          { reason: 'PolicyViolation', field: 'f.one', message: 'Is wrong (policy one, level must): Fix it' },
          { reason: 'PolicyViolation', field: 'f.two', message: 'Is wrong (policy two, level must): Fix it' },
        ],
      },
    });
    expect(error.message).toMatch(/^The plan is denied by policy: f\.one: .*; f\.two: /);
    expect(error.message).not.toContain('three');
  });

  it('is tried again only where something else than the spec may change the verdict', () => {
    expect(policyDenied(plan, []).retry).toBe('never');
    expect(policyDenied({ ...plan, retry: 'slow' }, []).retry).toBe('slow');
  });
});
