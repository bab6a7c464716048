import { describe, expect, it } from '@jest/globals';
import type { ApprovedPlanStatus, Impact, Infrastructure } from '@crate/api';
import { aSpec } from '../testing/a-spec.js';
import { checkApproval, checkCeiling } from './plan-gate.js';
import type { PlanReading } from './plan-reading.js';

const NOW = new Date('2026-05-01T12:00:00Z');
const APPROVED = { name: 'grow', digest: 'd1' };

function infrastructure(spec: Partial<Infrastructure['spec']>, begun?: ApprovedPlanStatus): Infrastructure {
  const status = begun ? { status: { conditions: [], approvedPlan: begun } } : {};
  return {
    apiVersion: 'cloud.crate.dev/v1alpha1',
    kind: 'Infrastructure',
    metadata: { name: 'demo' },
    spec: { ...aSpec('demo'), ...spec },
    ...status,
  } as unknown as Infrastructure;
}

function reading(changes: Partial<PlanReading> = {}): PlanReading {
  return { digest: 'd1', impact: { address: 'a', impact: 'roll' }, addresses: ['a', 'b'], ...changes } as PlanReading;
}

describe('checkCeiling', () => {
  const rows: readonly { name: string; ceiling?: Impact; impact: PlanReading['impact']; isRefused: boolean }[] = [
    { name: 'lets pass what stays below', ceiling: 'roll', impact: { address: 'a', impact: 'roll' }, isRefused: false },
    { name: 'lets pass everything without a ceiling', impact: undefined, isRefused: false },
    { name: 'refuses more', ceiling: 'roll', impact: { address: 'a', impact: 'replace' }, isRefused: true },
    { name: 'refuses what cannot be told', ceiling: 'replace', impact: undefined, isRefused: true },
  ];
  it.each(rows)('$name', ({ ceiling, impact, isRefused }) => {
    const check = (): void =>
      checkCeiling(infrastructure(ceiling === undefined ? {} : { maxImpact: ceiling }), reading({ impact }));
    if (isRefused) expect(check).toThrow(expect.objectContaining({ code: 'Forbidden', retry: 'slow' }));
    else expect(check).not.toThrow();
  });
});

describe('checkApproval', () => {
  const begun: ApprovedPlanStatus = { ...APPROVED, begunAt: '2026-05-01T11:00:00Z', resources: ['a', 'b'] };

  it('has nothing to say where nobody asked for a certain plan', () => {
    expect(checkApproval(infrastructure({}), reading(), NOW)).toBeUndefined();
  });

  it('gives what to remember of the approved plan before it is begun', () => {
    expect(checkApproval(infrastructure({ approvedPlan: APPROVED }), reading(), NOW)).toEqual({
      ...APPROVED,
      begunAt: '2026-05-01T12:00:00Z',
      resources: ['a', 'b'],
    });
  });

  it('lets what is left of a begun plan go on, whatever its digest is by now', () => {
    const left = reading({ digest: 'd2', addresses: ['b'] });
    expect(checkApproval(infrastructure({ approvedPlan: APPROVED }, begun), left, NOW)).toBeUndefined();
  });

  const refused = [
    { name: 'another plan', given: infrastructure({ approvedPlan: APPROVED }), plan: reading({ digest: 'd2' }) },
    {
      name: 'more than what is left',
      given: infrastructure({ approvedPlan: APPROVED }, begun),
      plan: reading({ digest: 'd2', addresses: ['b', 'c'] }),
    },
    {
      name: 'what is left of another approval',
      given: infrastructure({ approvedPlan: APPROVED }, { ...begun, name: 'other' }),
      plan: reading({ digest: 'd2', addresses: ['b'] }),
    },
  ];
  it.each(refused)('refuses $name', ({ given, plan }) => {
    expect(() => checkApproval(given, plan, NOW)).toThrow(
      expect.objectContaining({ code: 'Forbidden', details: expect.objectContaining({ reason: 'PlanOutdated' }) }),
    );
  });
});
