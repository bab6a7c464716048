import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { forbidden, invalidSpec } from '@crate/errors';
import { applyManifests } from './apply-manifests.js';
import { InMemoryTargetCluster } from './in-memory-target-cluster.js';

const IMMUTABLE = invalidSpec(
  'Job.batch "migrate" is invalid: spec.template: Invalid value: …: field is immutable',
  [],
);

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
async function have(condition?: string): Promise<void> {
  const conditions = condition === undefined ? [] : [{ type: condition, status: 'True' }];
  cluster.statusOnApply.set('Job', { conditions });
  await applyManifests(cluster, [job('one')], options);
  cluster.writes.length = 0;
  cluster.refusal = () => (cluster.contents().includes('Job migrate') ? IMMUTABLE : undefined);
}

describe('a Job that is stated differently', () => {
  it.each(['Complete', 'Failed'])('is made anew when it has ended: %s', async (condition) => {
    await have(condition);
    await applyManifests(cluster, [job('two')], replacing);
    expect(cluster.writes).toEqual(['remove Job migrate', 'apply Job migrate']);
  });

  it('is left to its end while it runs, and looked at again soon', async () => {
    await have();
    const applied = applyManifests(cluster, [job('two')], replacing);
    await expect(applied).rejects.toMatchObject({ code: 'InvalidSpec', retry: 'backoff', cause: IMMUTABLE });
    expect(cluster.writes).toEqual([]);
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
