import { beforeEach, describe, expect, it } from '@jest/globals';
import { PROJECT, type KubeObject, type KubeObjectInput } from '@crate/api';
import { failing } from '../fixtures/failing.js';
import {
  aCluster,
  aConfigMap,
  CLUSTERS,
  CONFIG_MAPS,
  CONTEXT,
  localApi,
  type LocalFixture,
  refTo,
} from '../fixtures/local-api.js';

const REF = refTo(CLUSTERS, 'demo');

let fixture: LocalFixture;
beforeEach(() => {
  fixture = localApi();
});

async function create(object: KubeObjectInput = aCluster(), options = {}): Promise<KubeObject> {
  return (await fixture.api.create(CLUSTERS, object, options, CONTEXT)).object;
}

describe('delete', () => {
  it('removes at once without finalizers', async () => {
    const object = await create();
    const { object: removed } = await fixture.api.remove(REF, {}, CONTEXT);
    expect(removed.metadata.uid).toBe(object.metadata.uid);
    await expect(fixture.api.remove(REF, {}, CONTEXT)).rejects.toEqual(failing('NotFound'));
  });

  it('waits for finalizers', async () => {
    await create({ ...aCluster(), metadata: { name: 'demo', namespace: 'team-a', finalizers: ['a.b/c'] } });
    const { object: removed } = await fixture.api.remove(REF, {}, CONTEXT);
    expect(removed.metadata.deletionTimestamp).toBe('2026-01-01T00:00:00Z');
    expect(await fixture.api.get(REF, CONTEXT)).toEqual(removed);
  });

  it.each([{ uid: 'other' }, { resourceVersion: '99' }])('refuses when %j does not hold', async (preconditions) => {
    await create();
    await expect(fixture.api.remove(REF, { preconditions }, CONTEXT)).rejects.toEqual(
      failing('Conflict', 'Precondition failed'),
    );
  });

  it('removes nothing in a dry run', async () => {
    const object = await create();
    expect((await fixture.api.remove(REF, { dryRun: true }, CONTEXT)).object).toEqual(object);
    expect(await fixture.api.get(REF, CONTEXT)).toEqual(object);
  });

  it.each([
    { reason: 'the deletion says so', finalizers: [], options: { propagationPolicy: 'Orphan' as const } },
    { reason: 'a finalizer says so', finalizers: ['orphan'], options: {} },
  ])(
    'takes along what belongs to an object of a kind that leaves no orphans, also where $reason not to',
    async (row) => {
      fixture = localApi({ definition: PROJECT, leavesNoOrphans: true });
      const projects = { ...CLUSTERS, plural: 'projects' };
      const { apiVersion } = aCluster();
      const project = { apiVersion, kind: 'Project', metadata: { name: 'team-a', finalizers: row.finalizers } };
      const { object } = await fixture.api.create(projects, project, {}, CONTEXT);
      const owner = { apiVersion, kind: 'Project', name: 'team-a', uid: object.metadata.uid };
      await create({ ...aCluster(), metadata: { name: 'demo', namespace: 'team-a', ownerReferences: [owner] } });
      await fixture.api.remove({ ...projects, name: 'team-a' }, row.options, CONTEXT);
      await expect(fixture.api.get(REF, CONTEXT)).rejects.toEqual(failing('NotFound'));
    },
  );

  it('removes a collection by selector', async () => {
    for (const name of ['a', 'b', 'c']) {
      const object = aConfigMap(name, {});
      object.metadata.labels = { keep: String(name === 'c') };
      await fixture.api.create(CONFIG_MAPS, object, {}, CONTEXT);
    }
    const selection = { namespace: 'team-a', labelSelector: 'keep=false' };
    const removed = await fixture.api.removeCollection(CONFIG_MAPS, selection, {}, CONTEXT);
    expect(removed.items.map((item) => item.metadata.name)).toEqual(['a', 'b']);
    const left = await fixture.api.list(CONFIG_MAPS, {}, CONTEXT);
    expect(left.items.map((item) => item.metadata.name)).toEqual(['c']);
  });
});
