import { describe, expect, it } from '@jest/globals';
import { runPlanSchema } from '@crate/api';
import { InMemoryTerraformRunRepository } from '../terraform-run/in-memory-terraform-run.repository.js';
import type { StoredPlan, TerraformRun } from '../terraform-run/terraform-run.repository.js';
import { InMemoryCloud } from '../testing/in-memory-cloud.js';
import { planOf, planReader } from './infrastructure.plan.js';

const RUN: TerraformRun = {
  id: 'run',
  infrastructureUid: 'u1',
  kind: 'apply',
  state: 'succeeded',
  epoch: 1n,
  identity: undefined,
  runtimeId: undefined,
  generation: 1,
  hasBegun: false,
  planSummary: undefined,
  startedAt: new Date('2026-11-21T10:00:00Z'),
  heartbeatAt: new Date('2026-11-21T10:00:00Z'),
  endedAt: new Date('2026-11-21T10:01:00Z'),
};
const CHANGE = { address: 'a.b', type: 'a', name: 'b', action: 'create', changes: [] } as const;

function aPlan(run: Partial<TerraformRun> = {}, changes: Partial<StoredPlan> = {}): StoredPlan {
  return {
    run: { ...RUN, ...run },
    changes: { resources: [CHANGE], omittedChanges: 0 },
    review: undefined,
    ...changes,
  };
}

describe('planReader', () => {
  it('finds nothing before the first plan, and then the newest', async () => {
    const infrastructure = await new InMemoryCloud().ensureInfrastructure();
    const runs = new InMemoryTerraformRunRepository();
    const read = planReader(runs);
    const call = { caller: { user: 'ada', groups: [] }, traceId: 'trace' };
    const ref = { group: 'cloud.crate.dev', version: 'v1alpha1', plural: 'infrastructures', name: 'demo' };
    await expect(read(infrastructure, ref, call)).rejects.toMatchObject({ code: 'NotFound' });

    const run = { id: 'r1', infrastructureUid: infrastructure.metadata.uid, kind: 'apply' as const, epoch: 1n };
    await runs.open({ ...run, generation: 1 });
    const summary = { add: 1, change: 0, remove: 0, import: 0 };
    await runs.savePlan('r1', { summary, changes: { resources: [CHANGE], omittedChanges: 0 }, hasBegun: true });
    expect(runPlanSchema.parse(await read(infrastructure, ref, call))).toMatchObject({
      kind: 'RunPlan',
      of: { kind: 'Infrastructure', name: 'demo' },
      isCurrent: true,
      outcome: 'InProgress',
      counts: { create: 1, destroy: 0 },
    });
  });
});

describe('planOf', () => {
  const denied = { allowed: false, violations: [] };
  it.each([
    { given: aPlan(), want: 'Applied' },
    { given: aPlan({ state: 'running' }), want: 'InProgress' },
    { given: aPlan({ state: 'failed' }), want: 'Failed' },
    { given: aPlan({ state: 'interrupted' }), want: 'Interrupted' },
    { given: aPlan({ state: 'failed' }, { review: denied }), want: 'Refused' },
    { given: aPlan({}, { changes: { resources: [], omittedChanges: 0 } }), want: 'NoChanges' },
  ])('calls it $want', async ({ given, want }) => {
    expect(planOf(await new InMemoryCloud().ensureInfrastructure(), given).outcome).toBe(want);
  });

  it('says when a later spec was asked for since', async () => {
    const infrastructure = await new InMemoryCloud().ensureInfrastructure();
    expect(planOf(infrastructure, aPlan({ generation: 7 })).isCurrent).toBe(false);
  });
});
