import type { PolicyViolation } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { policyDenied, policyWarning } from './policy-denied.js';

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
  it('names rule, level, severity, field and remedy of every broken must, and of nothing else', () => {
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
          {
            reason: 'PolicyViolation',
            field: 'f.one',
            message: 'Is wrong (policy one, level must, severity medium): Fix it',
          },
          {
            reason: 'PolicyViolation',
            field: 'f.two',
            message: 'Is wrong (policy two, level must, severity medium): Fix it',
          },
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

describe('policyWarning', () => {
  it('names rule, level, severity, field and remedy', () => {
    expect(policyWarning(violation('three', 'should'))).toBe(
      'f.three: Is wrong (policy three, level should, severity medium): Fix it',
    );
  });

  it('says of a rule that denies elsewhere that it does not here', () => {
    const eased = { ...violation('one', 'must'), effect: 'warn' } as const;
    expect(policyWarning(eased)).toBe(
      'f.one: Is wrong (policy one, level must, severity medium, only warned of here): Fix it',
    );
  });
});
