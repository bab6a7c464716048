import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { forbidden, invalidSpec } from '@crate/errors';
import { applyManifests } from './apply-manifests.js';
import { InMemoryTargetCluster } from './in-memory-target-cluster.js';

const IMMUTABLE = invalidSpec(
  'Job.batch "migrate" is invalid: spec.template: Invalid value: …: field is immutable',
  [],
);

const JOB = { apiVersion: 'batch/v1', kind: 'Job', name: 'migrate', namespace: 'apps' };
const PULL = { state: { waiting: { reason: 'ImagePullBackOff' } } };
const RESTARTED = { state: { waiting: {} }, lastState: { terminated: {} } };

const job = (image: string): Manifest => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate', namespace: 'apps' } },
  spec: { template: { spec: { containers: [{ name: 'migrate', image }] } } },
});
const options = { fieldManager: 'crate', signal: new AbortController().signal, patienceMs: 0 };
const replacing = { ...options, beforeReplacing: () => Promise.resolve() };

let cluster: InMemoryTargetCluster;
beforeEach(() => {
  cluster = new InMemoryTargetCluster();
});

/** There is a Job of one image, and it goes into no other. */
async function have(condition?: string, status: object = {}): Promise<void> {
  const conditions = condition === undefined ? [] : [{ type: condition, status: 'True' }];
  cluster.statusOnApply.set('Job', { conditions, ...status });
  await applyManifests(cluster, [job('one')], options);
  cluster.writes.length = 0;
  cluster.refusal = ({ kind }) =>
    kind === 'Job' && cluster.contents().includes('Job migrate') ? IMMUTABLE : undefined;
}

/** A pod of that Job. */
async function havePod(status: object): Promise<void> {
  const { uid } = (await cluster.get(JOB)).metadata;
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'migrate', uid, controller: true }];
  const metadata = { name: 'migrate-x', namespace: 'apps', ownerReferences };
  await cluster.applyObject({ apiVersion: 'v1', kind: 'Pod', metadata, status }, options);
  cluster.writes.length = 0;
}

describe('a Job that is stated differently', () => {
  it.each(['Complete', 'Failed'])('is made anew when it has ended: %s', async (condition) => {
    await have(condition);
    await applyManifests(cluster, [job('two')], replacing);
    expect(cluster.writes).toEqual(['remove Job migrate', 'apply Job migrate']);
  });

  it.each([
    { reason: 'while it runs', pod: { containerStatuses: [{ state: { running: {} } }] } },
    { reason: 'while the next try of a container waits', pod: { containerStatuses: [RESTARTED] } },
    { reason: 'once a first container has run', pod: { initContainerStatuses: [{ state: { terminated: {} } }, PULL] } },
    { reason: 'when pods of it are gone that failed', pod: { containerStatuses: [PULL] }, job: { failed: 1 } },
  ])('is left to its end $reason, and looked at again soon', async ({ pod, job: status }) => {
    await have(undefined, status);
    await havePod(pod);
    const applied = applyManifests(cluster, [job('two')], replacing);
    await expect(applied).rejects.toMatchObject({
      ...{ code: 'InvalidSpec', retry: 'backoff', cause: IMMUTABLE },
      details: { reason: 'JobStillRuns', remedy: expect.stringContaining('kubectl delete job migrate -n apps') },
    });
    expect(cluster.writes).toEqual([]);
  });

  it.each([
    { reason: 'has no pod', pod: undefined },
    { reason: 'waits for an image that nobody has', pod: { containerStatuses: [PULL] } },
    { reason: 'is on no node yet', pod: { phase: 'Pending' } },
  ])('is made anew when it never started: it $reason', async ({ pod }) => {
    await have();
    if (pod) await havePod(pod);
    await applyManifests(cluster, [job('two')], replacing);
    expect(cluster.writes).toEqual(['remove Job migrate', 'apply Job migrate']);
  });

  it('is made anew when it is suspended', async () => {
    await have(undefined, { failed: 1 });
    cluster.interfere(JOB, (live) => ({ ...live, spec: { suspend: true } }));
    await applyManifests(cluster, [job('two')], replacing);
    expect(cluster.writes).toEqual(['remove Job migrate', 'apply Job migrate']);
  });

  it.each([
    { reason: 'it may be about to start', createdAt: new Date().toISOString(), list: undefined },
    { reason: 'nobody may look at its pods', createdAt: undefined, list: forbidden('No pods for you') },
  ])('stays when $reason', async ({ createdAt, list }) => {
    await have();
    if (createdAt !== undefined)
      cluster.interfere(JOB, (live) => ({ ...live, metadata: { ...live.metadata, creationTimestamp: createdAt } }));
    if (list) cluster.list = () => Promise.reject(list);
    const applied = applyManifests(cluster, [job('two')], replacing);
    await expect(applied).rejects.toMatchObject({ details: { reason: 'JobStillRuns' } });
  });

  it('stays when nothing may be taken away', async () => {
    await have('Complete');
    const beforeReplacing = (what: string): Promise<void> => Promise.reject(forbidden(what));
    const applied = applyManifests(cluster, [job('two')], { ...options, beforeReplacing });
    await expect(applied).rejects.toMatchObject({ code: 'Forbidden', message: 'Job apps/migrate' });
    expect(cluster.writes).toEqual([]);
  });

  it('stays when nobody said that it may go', async () => {
    await have('Complete');
    await expect(applyManifests(cluster, [job('two')], options)).rejects.toBe(IMMUTABLE);
    expect(cluster.writes).toEqual([]);
  });

  it('is not touched when it is refused for anything else', async () => {
    await have('Complete');
    const refusal = invalidSpec('spec.template: Required value', []);
    cluster.refusal = () => refusal;
    await expect(applyManifests(cluster, [job('two')], replacing)).rejects.toBe(refusal);
    expect(cluster.writes).toEqual([]);
  });
});

it('takes nothing else away that no cluster changes, such as a StatefulSet with its data', async () => {
  const set: Manifest = { ...job('one'), apiVersion: 'apps/v1', kind: 'StatefulSet' };
  cluster.refusal = () => IMMUTABLE;
  await expect(applyManifests(cluster, [set], replacing)).rejects.toBe(IMMUTABLE);
  expect(cluster.writes).toEqual([]);
});
