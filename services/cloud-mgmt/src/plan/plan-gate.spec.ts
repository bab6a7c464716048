import { describe, expect, it } from '@jest/globals';
import type { ApprovedPlanStatus, ApprovedStack, Impact, Infrastructure } from '@crate/api';
import { aSpec } from '../testing/a-spec.js';
import { openScope } from '../infrastructure/infrastructure.scope.js';
import { beginApproved, checkApproval, checkCeiling, executedPlan, isPlanOpen, type Approval } from './plan-gate.js';
import type { PlanReading, PlanStep } from './plan-reading.js';

const NOW = new Date('2026-05-01T12:00:00Z');
const APPROVED = { name: 'grow', digest: 'd1' };
const APPLY = { purpose: 'apply', now: NOW } as const;
const DESTROY = { purpose: 'destroy', now: NOW } as const;

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

const approval = (spec: Partial<Infrastructure['spec']>, begun?: ApprovedPlanStatus): Approval => ({
  infrastructure: infrastructure(spec, begun),
});

const updates = (...addresses: string[]): PlanStep[] => addresses.map((address) => ({ address, action: 'update' }));

function reading(changes: Partial<PlanReading> = {}): PlanReading {
  return {
    digest: 'd1',
    impact: { address: 'a', impact: 'roll' },
    steps: updates('a', 'b'),
    unnoticed: new Set(),
    ...changes,
  } as PlanReading;
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
  const steps = ['update a', 'update b'];
  const begun: ApprovedPlanStatus = { ...APPROVED, begunAt: '2026-05-01T11:00:00Z', resources: ['a', 'b'], steps };

  it('has nothing to say where nobody asked for a certain plan', () => {
    expect(checkApproval(approval({}), reading(), APPLY)).toBeUndefined();
  });

  it('gives what to remember of the approved plan before it is begun', () => {
    expect(checkApproval(approval({ approvedPlan: APPROVED }), reading(), APPLY)).toEqual({
      ...APPROVED,
      begunAt: '2026-05-01T12:00:00Z',
      resources: ['a', 'b'],
      steps,
    });
  });

  it('lets what is left of a begun plan go on, whatever its digest is by now', () => {
    const left = reading({ digest: 'd2', steps: updates('b') });
    expect(checkApproval(approval({ approvedPlan: APPROVED }, begun), left, APPLY)).toBeUndefined();
  });

  it.each([
    {
      approved: 'create',
      left: 'update',
      isRefused: false,
      reason: 'what a lost run has made is adopted and finished',
    },
    { approved: 'create', left: 'replace', isRefused: false, reason: 'what it has made is tainted' },
    { approved: 'replace', left: 'create', isRefused: false, reason: 'the old one is gone already' },
    { approved: 'replace', left: 'destroy', isRefused: false, reason: 'the new one is there already' },
    { approved: 'update', left: 'replace', isRefused: true, reason: 'nobody approved that it goes' },
    { approved: 'update', left: 'destroy', isRefused: true, reason: 'nobody approved that it goes' },
    { approved: 'create', left: 'destroy', isRefused: true, reason: 'nobody approved that anything goes' },
    { approved: 'update', left: 'create', isRefused: true, reason: 'it went in some other way' },
  ] as const)('of a $approved that was begun takes a $left, refused: $isRefused, because $reason', (row) => {
    const known = { ...begun, steps: [`${row.approved} a`] };
    const left = reading({ digest: 'd2', steps: [{ address: 'a', action: row.left }] });
    const check = (): unknown => checkApproval(approval({ approvedPlan: APPROVED }, known), left, APPLY);
    if (row.isRefused) expect(check).toThrow(expect.objectContaining({ code: 'Forbidden' }));
    else expect(check()).toBeUndefined();
  });

  it('is past all refusals of earlier passes by the time it is stored as begun, and not where it is refused', async () => {
    const seen: unknown[] = [];
    const { infrastructure: asked } = approval({ approvedPlan: APPROVED });
    const scope = openScope(asked, { persist: async () => void seen.push(scope.stage) });
    await expect(beginApproved(scope, reading({ digest: 'd2' }), 'apply')).rejects.toMatchObject({ code: 'Forbidden' });
    expect(scope.stage).toBe('check');
    await beginApproved(scope, reading(), 'apply');
    expect(seen).toEqual(['work']);
  });

  describe('once the platform was upgraded', () => {
    const left = reading({ digest: 'd2', steps: updates('b', 'c'), unnoticed: new Set(['c']) });
    const upgraded = (begunFor: ApprovedStack, stack = 'new'): Approval => {
      const given = approval({ approvedPlan: APPROVED }, begun);
      const metadata = { ...given.infrastructure.metadata, generation: 2 };
      const infrastructure = { ...given.infrastructure, metadata };
      return { infrastructure, approvedStack: begunFor, stack: { document: {}, hash: stack }, settingsHash: 'asked' };
    };
    const BEGUN_FOR = { generation: 2, hash: 'old', settings: 'asked' };

    it('is told by what was stored when the plan was begun', async () => {
      const seen: unknown[] = [];
      const { infrastructure } = upgraded(BEGUN_FOR);
      const scope = openScope(
        { ...infrastructure, status: {} },
        { persist: async () => void seen.push(scope.approvedStack) },
      );
      scope.stack = { document: {}, hash: 'old' };
      scope.settingsHash = 'asked';
      await beginApproved(scope, reading(), 'apply');
      expect(seen).toEqual([BEGUN_FOR]);
    });

    it.each([
      { name: 'the release', begunFor: BEGUN_FOR },
      {
        name: 'the release, where the one before did not say of which settings',
        begunFor: { generation: 2, hash: 'old' },
      },
    ])('goes on with a begun plan beside what $name brings and nobody notices', ({ begunFor }) => {
      expect(checkApproval(upgraded(begunFor), left, APPLY)).toBeUndefined();
    });

    it.each([
      { name: 'what has an impact', given: upgraded(BEGUN_FOR), plan: { ...left, unnoticed: new Set<string>() } },
      { name: 'what another spec brings', given: upgraded({ ...BEGUN_FOR, generation: 1 }), plan: left },
      { name: 'what other settings bring', given: upgraded({ ...BEGUN_FOR, settings: 'others' }), plan: left },
      { name: 'what came in the cloud with the same stack', given: upgraded(BEGUN_FOR, 'old'), plan: left },
    ])('does not go on with $name', ({ given, plan }) => {
      expect(() => checkApproval(given, plan, APPLY)).toThrow(
        expect.objectContaining({ details: expect.objectContaining({ reason: 'PlanOutdated' }) }),
      );
    });

    it('says so where it cannot go on', () => {
      const given = upgraded(BEGUN_FOR);
      expect(() => checkApproval(given, { ...left, unnoticed: new Set() }, APPLY)).toThrow(/platform was upgraded/);
    });
  });

  it('holds what an older release has begun to its addresses', () => {
    const { steps: _steps, ...older } = begun;
    const left = reading({ digest: 'd2', steps: [{ address: 'b', action: 'replace' }] });
    expect(checkApproval(approval({ approvedPlan: APPROVED }, older), left, APPLY)).toBeUndefined();
  });

  const refused = [
    { name: 'another plan', given: approval({ approvedPlan: APPROVED }), plan: reading({ digest: 'd2' }) },
    {
      name: 'more than what is left',
      given: approval({ approvedPlan: APPROVED }, begun),
      plan: reading({ digest: 'd2', steps: updates('b', 'c') }),
    },
    {
      name: 'what is left of another approval',
      given: approval({ approvedPlan: APPROVED }, { ...begun, name: 'other' }),
      plan: reading({ digest: 'd2', steps: updates('b') }),
    },
  ];
  it.each(refused)('refuses $name', ({ given, plan }) => {
    expect(() => checkApproval(given, plan, APPLY)).toThrow(
      expect.objectContaining({ code: 'Forbidden', details: expect.objectContaining({ reason: 'PlanOutdated' }) }),
    );
  });
});

describe('an approved plan that was executed', () => {
  const begun: ApprovedPlanStatus = { ...APPROVED, begunAt: '2026-05-01T11:00:00Z', resources: ['a'] };
  const rows = [
    { name: 'was begun', known: begun, begunAt: begun.begunAt, resources: ['a'] },
    { name: 'had nothing to change', known: undefined, begunAt: '2026-05-01T12:00:00Z', resources: [] },
    { name: 'was executed before', known: { ...begun, executedAt: '2026-05-01T11:30:00Z' }, resources: ['a'] },
  ];
  it.each(rows)('holds back nothing of what comes later: one that $name', ({ known, name: _name, ...want }) => {
    const executed = executedPlan(approval({ approvedPlan: APPROVED }, known), NOW);
    expect(executed).toEqual({ ...begun, executedAt: '2026-05-01T12:00:00Z', ...known, ...want });
    const later = approval({ approvedPlan: APPROVED }, executed);
    expect(isPlanOpen(later, 'apply')).toBe(false);
    expect(checkApproval(later, reading({ digest: 'd2', steps: updates('c') }), APPLY)).toBeUndefined();
  });

  it('is none where nobody asked for one, or where another one is asked for by now', () => {
    const old = { ...begun, executedAt: '2026-05-01T11:30:00Z' };
    expect(executedPlan(approval({}, old), NOW)).toBeUndefined();
    expect(isPlanOpen(approval({}, old), 'apply')).toBe(false);
    expect(isPlanOpen(approval({ approvedPlan: { name: 'next', digest: 'd2' } }, old), 'apply')).toBe(true);
    expect(isPlanOpen({ ...approval({ approvedPlan: APPROVED }), approvedPlan: old }, 'apply')).toBe(false);
  });
});

describe('an approved deletion', () => {
  const asked = approval({ approvedPlan: { ...APPROVED, destroy: true } });

  it('holds the run that takes everything away, also what is left of it, and no other', () => {
    const begun = {
      ...APPROVED,
      destroy: true as const,
      begunAt: '2026-05-01T12:00:00Z',
      resources: ['a', 'b'],
      steps: ['update a', 'update b'],
    };
    expect(checkApproval(asked, reading(), DESTROY)).toEqual(begun);
    const left = reading({ digest: 'd2', steps: updates('b') });
    expect(checkApproval({ ...asked, approvedPlan: begun }, left, DESTROY)).toBeUndefined();
    expect(checkApproval(asked, reading({ digest: 'd2' }), APPLY)).toBeUndefined();
    expect(executedPlan(asked, NOW)).toBeUndefined();
  });

  it('refuses to take away something else, and says how to go on', () => {
    expect(() => checkApproval(asked, reading({ digest: 'd2' }), DESTROY)).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ remedy: expect.stringContaining('Plan the deletion anew') }),
      }),
    );
  });

  it('is not held to a change that was approved before', () => {
    expect(checkApproval(approval({ approvedPlan: APPROVED }), reading({ digest: 'd2' }), DESTROY)).toBeUndefined();
  });
});
