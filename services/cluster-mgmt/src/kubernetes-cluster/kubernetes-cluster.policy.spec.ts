import type { PolicyReviewResponse } from '@crate/api';
import { unavailable } from '@crate/errors';
import { eventually } from '@crate/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { machineSpec, NODE_NAMES } from '../testing/builders.js';
import { ClusterBench, STANDING_MS } from '../testing/cluster-bench.js';

const ALLOWED: PolicyReviewResponse = { allowed: true, violations: [] };
const AWAY = unavailable('policy-mgmt is away');
const DENIED: PolicyReviewResponse = {
  allowed: false,
  violations: [
    {
      ...{ policy: 'audit-log', level: 'must', severity: 'high', effect: 'deny', title: 'Audit', references: [] },
      ...{ field: 'spec.kubernetes', message: 'There is none', remedy: 'Enable it' },
    },
  ],
};

let bench: ClusterBench;
beforeEach(() => {
  bench = new ClusterBench();
});

const condition = (): Promise<string> => bench.condition('PolicyCompliant');

describe('the configuration of an engine that is to run', () => {
  it('is judged as what it does', async () => {
    await bench.makeReady(machineSpec());
    await bench.setSpec(machineSpec([...NODE_NAMES, 'demo-workers-1']));
    await bench.pass();
    expect(bench.policies.requests).toMatchObject([
      { stage: 'EngineConfig', operation: 'CREATE', subject: { cluster: 'demo', engine: 'rke' }, remember: true },
      { stage: 'EngineConfig', operation: 'UPDATE', document: { nodes: [{}, {}, {}] }, remember: true },
    ]);
    expect(await condition()).toBe('True Compliant');
  });

  it('is not run while nobody answers, which is what it waits for', async () => {
    bench.policies.answer = AWAY;
    await bench.create(machineSpec());
    await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'PolicyUnavailable' } });
    expect(bench.engine.calls).not.toContain('up');
    expect(await condition()).toBe('Unknown PolicyUnavailable');
    bench.policies.answer = ALLOWED;
    await bench.pass();
    expect(await condition()).toBe('True Compliant');
  });

  it('is run without an answer where that is set so, which is said, and judged in the next pass', async () => {
    bench.policies.answer = AWAY;
    bench.whenUnavailable.EngineConfig = 'allow';
    await bench.makeReady(machineSpec());
    expect(bench.engine.calls).toContain('up');
    expect(await condition()).toBe('Unknown NotReviewed');
    bench.policies.answer = DENIED;
    await bench.pass();
    expect(await condition()).toBe('False PolicyDenied');
  });

  it('tells its denial once', async () => {
    bench.policies.answer = DENIED;
    await bench.create(machineSpec());
    await expect(bench.pass()).rejects.toMatchObject({ code: 'Forbidden', retry: 'slow' });
    expect(await condition()).toBe('False PolicyDenied');
    expect(bench.events.reasons).toEqual(['Warning PolicyDenied']);
  });

  it('is denied no more while the engine runs with it', async () => {
    bench.policies.answer = DENIED;
    await bench.create(machineSpec());
    await expect(bench.pass()).rejects.toMatchObject({ code: 'Forbidden' });
    bench.policies.answer = ALLOWED;
    const slot = bench.slots.request('another cluster');
    await bench.pass();
    expect((await bench.read()).status?.failure?.code).toBe('PolicyDenied');

    if (slot.granted) slot.release();
    bench.engine.duringRun = () =>
      eventually(async () => expect(await bench.condition('Ready')).toBe('False EngineRunning'));
    await bench.pass();
    expect(bench.engine.calls).toContain('up');
  });
});

describe('a cluster that is up', () => {
  beforeEach(async () => {
    await bench.makeReady(machineSpec());
  });

  it('is judged again now and then, as it stands', async () => {
    await bench.pass();
    expect(bench.policies.calls).toBe(1);
    bench.nowMs += STANDING_MS;
    await bench.pass();
    expect(bench.policies.calls).toBe(2);
    expect(bench.policies.requests.at(-1)).not.toHaveProperty('operation');
    expect(bench.policies.requests.at(-1)?.remember).toBe(true);
  });

  it('stands when a rule comes that it breaks, and says so', async () => {
    bench.policies.answer = DENIED;
    bench.nowMs += STANDING_MS;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(await condition()).toBe('False PolicyDenied');
    expect(await bench.condition('Ready')).toBe('True Ready');
    expect(bench.events.reasons.at(-1)).toBe('Warning PolicyViolated');
    expect(bench.engine.calls.filter((call) => call === 'up')).toHaveLength(1);
    const { metadata } = await bench.read();
    await bench.pass();
    expect((await bench.read()).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it('is judged by what was applied, not by what another release would apply', async () => {
    bench.engine.applyAsOtherRelease({ services: 'of another release' });
    bench.nowMs += STANDING_MS;
    await bench.pass();
    expect(bench.policies.requests.at(-1)?.document).toEqual({ services: 'of another release' });
    const { calls } = bench.policies;
    await bench.pass();
    expect(bench.policies.calls).toBe(calls);
  });

  it('is judged by what would be applied where nobody kept what was', async () => {
    bench.engine.applyAsOtherRelease(undefined);
    bench.nowMs += STANDING_MS;
    await bench.pass();
    expect(bench.policies.requests.at(-1)?.document).toMatchObject({ cluster_name: 'demo' });
  });

  it('is as it was for a while when nobody answers', async () => {
    bench.policies.answer = AWAY;
    bench.nowMs += 2 * STANDING_MS;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(await condition()).toBe('True Compliant');
    bench.nowMs += 1;
    await bench.pass();
    expect(await condition()).toBe('Unknown PolicyUnavailable');
  });

  it('is taken away without anybody being asked', async () => {
    bench.policies.answer = DENIED;
    const asked = bench.policies.calls;
    await bench.requestDeletion();
    for (let turn = 0; turn < 10 && (await bench.local.clusters.list()).length > 0; turn += 1) {
      await bench.pass().catch(() => undefined);
    }
    expect(await bench.local.clusters.list()).toEqual([]);
    expect(bench.policies.calls).toBe(asked);
  });
});
