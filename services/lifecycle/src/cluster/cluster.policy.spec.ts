import { findCondition, toTimestamp, type Cluster, type PolicyReviewResponse } from '@crate/api';
import { unavailable } from '@crate/errors';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';

const ALLOWED: PolicyReviewResponse = { allowed: true, violations: [] };
const DENIED: PolicyReviewResponse = {
  allowed: false,
  violations: [
    {
      ...{ policy: 'three-workers', level: 'must', severity: 'high', effect: 'deny', title: 'Three', references: [] },
      ...{ field: 'spec.nodePools', message: 'Has too few workers', remedy: 'Ask for three' },
    },
  ],
};
const AWAY = unavailable('policy-mgmt is away');

let platform: InMemoryPlatform;
beforeEach(async () => {
  platform = new InMemoryPlatform();
  await platform.start();
});

async function cluster(): Promise<Cluster> {
  return (await platform.clusters.find('demo', 'team-a')) as Cluster;
}

async function condition(type = 'PolicyCompliant'): Promise<string> {
  const found = findCondition((await cluster()).status?.conditions, type);
  return `${found?.status} ${found?.reason}`;
}

async function isReady(): Promise<boolean> {
  return (await condition('Ready')).startsWith('True');
}

async function converge(): Promise<void> {
  for (let turn = 0; turn < 20 && !(await isReady()); turn += 1) {
    await platform.pass();
    await platform.settleChildren();
  }
  expect(await isReady()).toBe(true);
}

async function scaleWorkers(replicas: number): Promise<void> {
  const nodePools = [{ name: 'workers', replicas, machineType: 'm5.xlarge' }];
  await platform.clusters.merge('demo', 'team-a', { spec: { nodePools } });
}

describe('a cluster on its way', () => {
  it('is judged as what is there, to be remembered', async () => {
    await platform.clusters.merge('demo', 'team-a', { metadata: { labels: { stage: 'prod' } } });
    await platform.pass();
    const [request] = platform.policies.requests;
    expect(request).toMatchObject({
      subject: { labels: { stage: 'prod' }, engine: 'rke', provider: 'sandbox-aws' },
      document: { metadata: { labels: { stage: 'prod' } } },
      remember: true,
    });
    for (const absent of ['operation', 'oldDocument', 'userInfo', 'dryRun']) expect(request).not.toHaveProperty(absent);
  });

  it('hands its labels down to what is judged elsewhere', async () => {
    await converge();
    await platform.clusters.merge('demo', 'team-a', { metadata: { labels: { stage: 'prod' } } });
    await platform.pass();
    const clients = [platform.infrastructures, platform.kubernetesClusters, platform.installations] as const;
    for (const client of clients) {
      const [child] = await client.list();
      expect(child?.metadata.labels).toMatchObject({ stage: 'prod' });
    }
  });

  it('goes no further when a rule comes that it breaks', async () => {
    await platform.pass();
    platform.policies.answer = DENIED;
    expect(await platform.pass()).toMatchObject({ code: 'Forbidden', retry: 'slow' });
    await platform.settleChildren();
    await platform.pass();
    expect(await platform.infrastructures.list()).toEqual([]);
    expect((await cluster()).status?.failure).toMatchObject({ code: 'PolicyDenied', field: 'spec.nodePools' });
    expect(platform.events.reasons).toContain('Warning PolicyDenied');
    expect(platform.events.reasons).not.toContain('Warning PolicyViolated');
  });

  it('waits while nobody answers, and says for what', async () => {
    platform.policies.answer = AWAY;
    expect(await platform.pass()).toMatchObject({ code: 'Unavailable', details: { reason: 'PolicyUnavailable' } });
    expect(await condition()).toBe('Unknown PolicyUnavailable');
    const told = findCondition((await cluster()).status?.conditions, 'PolicyCompliant');
    expect(told?.message).toContain('Waiting for policy-mgmt');
    expect(await platform.kubernetesClusters.list()).toEqual([]);
    platform.policies.answer = ALLOWED;
    await platform.pass();
    expect(await condition()).toBe('True Compliant');
  });

  it('goes on without an answer where that is set so, says so, and is judged in the next pass', async () => {
    platform.policies.answer = AWAY;
    platform.whenUnavailable.ClusterSpec = 'allow';
    await platform.pass();
    expect(await condition()).toBe('Unknown NotReviewed');
    expect(await platform.kubernetesClusters.list()).toHaveLength(1);
    platform.policies.answer = DENIED;
    await platform.pass();
    expect(await condition()).toBe('False PolicyDenied');
  });
});

describe('a cluster that was judged, while nobody answers', () => {
  const verdict = async () => findCondition((await cluster()).status?.conditions, 'PolicyCompliant');
  /** Longer than the whole seconds that conditions tell. */
  const later = (): void => {
    platform.now = () => new Date(Date.now() + 60_000);
  };

  it.each([
    { because: 'it waits for a verdict', whenUnavailable: 'deny' },
    { because: 'it goes on without one', whenUnavailable: 'allow' },
  ] as const)('keeps its verdict, and since when, also after an answer came again: $because', async (row) => {
    platform.whenUnavailable.ClusterSpec = row.whenUnavailable;
    await converge();
    const known = await verdict();
    const told = platform.events.reasons.length;
    later();
    platform.policies.answer = AWAY;
    await platform.pass();
    expect(await verdict()).toEqual(known);
    platform.policies.answer = ALLOWED;
    await platform.pass();
    expect(await verdict()).toEqual(known);
    expect(platform.events.reasons.slice(told)).not.toContain('Normal PolicyCompliant');
  });

  it('stays denied, too', async () => {
    await converge();
    platform.policies.answer = DENIED;
    await platform.pass();
    platform.policies.answer = AWAY;
    await platform.pass();
    expect(await condition()).toBe('False PolicyDenied');
  });

  it('has no verdict on what was changed since', async () => {
    await converge();
    platform.policies.answer = AWAY;
    await scaleWorkers(5);
    await platform.pass();
    expect(await condition()).toBe('Unknown PolicyUnavailable');
  });
});

describe('a cluster that is up when a rule comes that it breaks', () => {
  let told: number;
  beforeEach(async () => {
    await converge();
    platform.policies.answer = DENIED;
    told = platform.events.reasons.length;
    await platform.pass();
  });

  it('says which, by condition and by event', async () => {
    expect(findCondition((await cluster()).status?.conditions, 'PolicyCompliant')).toMatchObject({
      status: 'False',
      reason: 'PolicyDenied',
      message: 'Broken rules: three-workers: spec.nodePools: Has too few workers: Ask for three',
    });
    expect(platform.events.reasons.slice(told)).toEqual(['Warning PolicyViolated']);
  });

  it('counts what was found, and keeps the numbers while nobody answers', async () => {
    expect((await cluster()).status?.policy).toEqual({ fail: 1, warn: 0 });
    platform.policies.answer = AWAY;
    platform.whenUnavailable.ClusterSpec = 'allow';
    await platform.pass();
    expect((await cluster()).status?.policy).toEqual({ fail: 1, warn: 0 });
    const [advice] = DENIED.violations.map((violation) => ({ ...violation, effect: 'warn' as const }));
    platform.policies.answer = { allowed: true, violations: advice ? [advice, advice] : [] };
    await platform.pass();
    expect((await cluster()).status?.policy).toEqual({ fail: 0, warn: 2 });
  });

  it('stands, and is looked after', async () => {
    expect(await isReady()).toBe(true);
    await platform.installations.remove('demo-docs', 'team-a');
    await platform.pass();
    expect((await platform.installations.list()).map(({ metadata }) => metadata.name)).toContain('demo-docs');
    expect((await cluster()).status?.phases?.map(({ state }) => state)).toEqual(['Done', 'Done', 'Done', 'Running']);
  });

  it('writes nothing and tells nothing in the pass after', async () => {
    const before = await platform.store.currentRevision();
    expect(await platform.pass()).toEqual({ kind: 'settled' });
    expect(await platform.store.currentRevision()).toBe(before);
    expect(platform.events.reasons.slice(told)).toEqual(['Warning PolicyViolated']);
  });

  it('becomes nothing else that breaks it, should that come past admission', async () => {
    await scaleWorkers(5);
    expect(await platform.pass()).toMatchObject({ code: 'Forbidden', details: { reason: 'PolicyDenied' } });
    const [infrastructure] = await platform.infrastructures.list();
    expect(infrastructure?.spec.machineGroups.find(({ name }) => name === 'workers')?.replicas).toBe(2);
    // Nor later, when it has been seen once.
    expect(await platform.pass()).toMatchObject({ code: 'Forbidden' });
  });

  it('is compliant again when the rule goes, or the cluster is mended', async () => {
    platform.policies.answer = ALLOWED;
    await platform.pass();
    expect(await condition()).toBe('True Compliant');
  });

  it('is deleted without anybody being asked', async () => {
    const asked = platform.policies.calls;
    await platform.clusters.remove('demo', 'team-a');
    for (let turn = 0; turn < 20 && (await platform.clusters.list()).length > 0; turn += 1) await platform.pass();
    expect(await platform.clusters.list()).toEqual([]);
    expect(platform.policies.calls).toBe(asked);
  });
});

describe('a paused cluster', () => {
  beforeEach(async () => {
    await converge();
    await platform.clusters.merge('demo', 'team-a', { spec: { paused: true } });
  });

  it('is judged, too', async () => {
    platform.policies.answer = DENIED;
    expect(await platform.pass()).toEqual({ kind: 'settled' });
    expect(await condition()).toBe('False PolicyDenied');
  });

  it('is as it was while nobody answers', async () => {
    platform.policies.answer = AWAY;
    expect(await platform.pass()).toEqual({ kind: 'settled' });
    expect(await condition()).toBe('True Compliant');
  });
});

describe('a cluster with a part that breaks a rule', () => {
  beforeEach(async () => {
    await converge();
    const [found] = await platform.infrastructures.list();
    if (!found) throw new Error('There is no infrastructure');
    const broken = {
      type: 'PolicyCompliant',
      status: 'False',
      reason: 'PolicyDenied',
      message: 'Broken rules: no-ssh',
    };
    const conditions = [
      ...(found.status?.conditions ?? []),
      { ...broken, lastTransitionTime: toTimestamp(new Date(0)) },
    ];
    await platform.infrastructures.saveStatus(found, { ...found.status, conditions });
    await platform.pass();
  });

  it('says which part and which rule', async () => {
    expect(findCondition((await cluster()).status?.conditions, 'PolicyCompliant')).toMatchObject({
      status: 'False',
      reason: 'PartDenied',
      message: 'Infrastructure "demo": Broken rules: no-ssh',
    });
  });

  it('goes on saying so in passes that do not come to look at it', async () => {
    await scaleWorkers(1);
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForNodesToLeave' });
    expect(await condition()).toBe('False PartDenied');
  });
});

describe('a cluster that goes', () => {
  const takeAway = async (): Promise<void> => {
    await platform.clusters.remove('demo', 'team-a');
    for (let turn = 0; turn < 20 && (await platform.clusters.find('demo', 'team-a')); turn += 1) {
      await platform.pass();
      await platform.settleChildren();
    }
    expect(await platform.clusters.find('demo', 'team-a')).toBeUndefined();
  };

  it('is forgotten by policies once nothing of it is left', async () => {
    await converge();
    await takeAway();
    expect(platform.policies.forgotten).toEqual([]);
    expect(await platform.pass()).toMatchObject({ isGone: true });
    expect(platform.policies.forgotten).toEqual([{ namespace: 'team-a', cluster: 'demo' }]);
  });

  it('is forgotten also when nothing was ever made for it', async () => {
    await platform.clusters.merge('demo', 'team-a', { spec: { paused: true } });
    await platform.pass();
    await takeAway();
    expect(await platform.pass()).toMatchObject({ isGone: true });
    expect(platform.policies.forgotten).toEqual([{ namespace: 'team-a', cluster: 'demo' }]);
  });

  it('goes also while nobody can be told, which is tried until somebody is', async () => {
    await converge();
    const { forget } = platform.policies;
    platform.policies.forget = () => Promise.reject(AWAY);
    await takeAway();
    expect(await platform.pass()).toMatchObject({ code: 'Unavailable' });

    platform.policies.forget = forget;
    expect(await platform.pass()).toMatchObject({ isGone: true });
    expect(platform.policies.forgotten).toEqual([{ namespace: 'team-a', cluster: 'demo' }]);
  });
});
