import type { PolicyViolation } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { policyCompliance } from './policy-compliance.js';

function violation(policy: string, effect: PolicyViolation['effect']): PolicyViolation {
  const rule = { policy, level: 'must', severity: 'high', title: policy, references: [] } as const;
  return { ...rule, effect, field: `spec.${policy}`, message: 'Is wrong', remedy: 'Mend it' };
}

describe('policyCompliance', () => {
  it.each([
    { name: 'nothing', given: [], want: '' },
    { name: 'one', given: [violation('a', 'warn')], want: '1 recommendation not followed' },
    { name: 'two', given: [violation('a', 'warn'), violation('b', 'inform')], want: '2 recommendations not followed' },
  ])('is True when $name is recommended', ({ given, want }) => {
    expect(policyCompliance({ allowed: true, violations: given })).toEqual({
      ...{ type: 'PolicyCompliant', status: 'True', reason: 'Compliant' },
      message: want,
    });
  });

  it('is False with the rules that deny by name, and what to do about the first', () => {
    const violations = [violation('b', 'deny'), violation('a', 'deny'), violation('a', 'deny'), violation('c', 'warn')];
    expect(policyCompliance({ allowed: false, violations })).toEqual({
      ...{ type: 'PolicyCompliant', status: 'False', reason: 'PolicyDenied' },
      message: 'Broken rules: a, b: spec.b: Is wrong: Mend it',
    });
  });

  it('is True, with the waivers, while it is only because of them', () => {
    const recorded = [
      { ...violation('b', 'record'), waiver: 'night' },
      { ...violation('a', 'record'), waiver: 'night' },
      { ...violation('a', 'record'), waiver: 'day' },
      violation('tried-out', 'record'),
    ];
    expect(policyCompliance({ allowed: true, violations: [violation('c', 'warn')], recorded })).toEqual({
      ...{ type: 'PolicyCompliant', status: 'True', reason: 'Waived' },
      message: 'PolicyWaiver day covers a; PolicyWaiver night covers a, b; 1 recommendation not followed',
    });
    expect(policyCompliance({ allowed: true, violations: [], recorded: recorded.slice(3) })).toMatchObject({
      reason: 'Compliant',
    });
  });

  it('is Unknown when nobody judged', () => {
    const fact = policyCompliance({ allowed: true, violations: [], unanswered: true });
    expect(fact).toMatchObject({ status: 'Unknown', reason: 'NotReviewed' });
  });
});
