import { beforeEach, describe, expect, it } from '@jest/globals';
import { API_KEY, CLOUD_ACCOUNT, CLUSTER, CLUSTER_CLASS, PROJECT, type KubeObject } from '@crate/api';
import { TypedClient, type CallContext, type ResourceApi, type ResourceRef } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi, LocalResourceRouter } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { aCluster } from '../testing/a-cluster.js';
import { aProject, person } from '../testing/a-project.js';
import { AccountsInUseRouter } from './accounts-in-use-router.js';
import { OwnersInProjectRouter } from './owners-in-project-router.js';
import { statedOwners } from './stated-owners.js';

const CONTEXT: CallContext = { caller: person('otto'), traceId: 't' };
const LIFECYCLE = { group: CLUSTER.group, version: CLUSTER.version };
const CLUSTERS = { ...LIFECYCLE, plural: CLUSTER.plural };
const ACCOUNTS = { group: CLOUD_ACCOUNT.group, version: CLOUD_ACCOUNT.version, plural: CLOUD_ACCOUNT.plural };

let api: LocalResourceApi;
let door: (plural: typeof CLUSTERS | typeof ACCOUNTS) => ResourceApi;
let removals: (string | undefined)[][];
let own: KubeObject;
let foreign: KubeObject;
beforeEach(async () => {
  const kinds = new KindRegistry(
    [PROJECT, CLUSTER, CLUSTER_CLASS, CLOUD_ACCOUNT, API_KEY].map((definition) => ({ definition })),
  );
  api = new LocalResourceApi({ store: new InMemoryResourceStore(), kinds });
  removals = [];
  const clusters = new TypedClient(api, CLUSTER, CONTEXT);
  const used = new AccountsInUseRouter(new LocalResourceRouter(kinds, api), clusters, (...key) => removals.push(key));
  const router = new OwnersInProjectRouter(used, CONTEXT);
  door = ({ group, version, plural }) => router.find(group, version, plural)?.api as ResourceApi;
  own = await cluster('own', 'team-a');
  foreign = await cluster('foreign', 'team-b');
});

function named(object: object, name: string, namespace?: string, metadata: object = {}): KubeObject {
  const scope = namespace === undefined ? {} : { namespace };
  return { ...object, metadata: { name, ...scope, ...metadata } } as unknown as KubeObject;
}

async function cluster(
  name: string,
  namespace: string,
  through: ResourceApi = api,
  metadata = {},
): Promise<KubeObject> {
  return (await through.create(CLUSTERS, named(aCluster(), name, namespace, metadata), {}, CONTEXT)).object;
}

function ownedBy({ apiVersion, kind, metadata: { name, uid } }: KubeObject, change: object = {}): object {
  return { ownerReferences: [{ apiVersion, kind, name, uid, ...change }] };
}

describe('owners of an object', () => {
  it('may be of its Project, or the Project itself', async () => {
    await cluster('a', 'team-a', door(CLUSTERS), ownedBy(own));
    const type = { ...LIFECYCLE, plural: PROJECT.plural };
    const { object } = await api.create(type, named(aProject('team-a'), 'team-a'), {}, CONTEXT);
    await cluster('b', 'team-a', door(CLUSTERS), ownedBy(object));
  });

  it('are not of another Project, and nobody learns whether they exist', async () => {
    const rows = [
      ownedBy(foreign),
      ownedBy(foreign, { name: 'made-up' }),
      ownedBy(foreign, { uid: 'made-up' }),
      ownedBy(own, { uid: foreign.metadata.uid }),
      ownedBy(own, { kind: 'Secret' }),
      ownedBy(own, { apiVersion: 7 }),
    ];
    const messages = new Set<string>();
    for (const metadata of rows) {
      const error: unknown = await cluster('x', 'team-a', door(CLUSTERS), metadata).catch(
        (refusal: unknown) => refusal,
      );
      expect(error).toMatchObject({ code: 'InvalidSpec', details: { field: 'metadata.ownerReferences' } });
      messages.add((error as Error).message);
    }
    expect(messages.size).toBe(1);
    expect([...messages].join()).not.toMatch(/foreign|team-b/);
  });

  it('are not of the platform', async () => {
    const type = { ...LIFECYCLE, plural: CLUSTER_CLASS.plural };
    const spec = { template: {} };
    const given = { apiVersion: own.apiVersion, kind: 'ClusterClass', metadata: { name: 'small' }, spec };
    const { object } = await api.create(type, given, {}, CONTEXT);
    await expect(cluster('x', 'team-a', door(CLUSTERS), ownedBy(object))).rejects.toMatchObject({
      code: 'InvalidSpec',
    });
  });

  it('are looked at in every way to write them', async () => {
    const ref: ResourceRef = { ...CLUSTERS, namespace: 'team-a', name: 'own' };
    const references = (ownedBy(foreign) as { ownerReferences: object[] }).ownerReferences;
    const full = { ...own, metadata: { ...own.metadata, ...ownedBy(foreign) } } as KubeObject;
    const through = door(CLUSTERS);
    const writes = [
      () => through.update(ref, full, {}, CONTEXT),
      () => through.patch(ref, { metadata: { ownerReferences: references } }, { type: 'merge' }, CONTEXT),
      () => through.patch(ref, full, { type: 'apply', fieldManager: 'x' }, CONTEXT),
      ...[
        [{ op: 'add', path: '/metadata/ownerReferences', value: references }],
        [
          { op: 'add', path: '/metadata/ownerReferences', value: [] },
          { op: 'add', path: '/metadata/ownerReferences/-', value: references[0] },
        ],
        [{ op: 'replace', path: '/metadata', value: full.metadata }],
        [{ op: 'replace', path: '', value: full }],
        [{ op: 'copy', from: '/spec/nodePools', path: '/metadata/ownerReferences' }],
      ].map((patch) => () => through.patch(ref, patch, { type: 'json' }, CONTEXT)),
    ];
    for (const write of writes) await expect(write()).rejects.toMatchObject({ code: 'InvalidSpec' });
  });

  it('may be sent back as they are, also when they are gone', async () => {
    const owned = await cluster('a', 'team-a', api, ownedBy(foreign));
    const ref: ResourceRef = { ...CLUSTERS, namespace: 'team-a', name: 'a' };
    await door(CLUSTERS).update(ref, { ...owned, spec: { ...(owned['spec'] as object), paused: true } }, {}, CONTEXT);
  });

  it('are nobody in a patch that does not speak of them', () => {
    for (const patch of [
      [{ op: 'remove', path: '/metadata/ownerReferences' }],
      [{ op: 'test', path: '/metadata/ownerReferences', value: [{}] }],
      [{ op: 'add', path: '/spec/paused', value: true }],
      [7, null, { op: 'add' }],
      { metadata: { ownerReferences: null } },
      { metadata: 7 },
      'text',
      undefined,
    ]) {
      expect(statedOwners(patch)).toEqual([]);
    }
  });
});

describe('a CloudAccount that clusters refer to', () => {
  async function account(name: string, namespace = 'team-a'): Promise<void> {
    const { group, version, kind } = CLOUD_ACCOUNT;
    const given = { apiVersion: `${group}/${version}`, kind, spec: { provider: 'aws' } };
    await api.create(ACCOUNTS, named(given, name, namespace), {}, CONTEXT);
  }

  it('is not deleted, and the refusal names them', async () => {
    await account('sandbox');
    const ref = { ...ACCOUNTS, namespace: 'team-a', name: 'sandbox' };
    await expect(door(ACCOUNTS).remove(ref, {}, CONTEXT)).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('in use by these Clusters: own.'),
      details: { reason: 'InUse', causes: [{ message: 'cluster/own' }] },
    });
    const all = door(ACCOUNTS).removeCollection(ACCOUNTS, { namespace: 'team-a' }, {}, CONTEXT);
    await expect(all).rejects.toMatchObject({ code: 'Conflict' });
    expect(removals).toEqual([]);
    await api.remove({ ...CLUSTERS, namespace: 'team-a', name: 'own' }, {}, CONTEXT);
    await door(ACCOUNTS).remove(ref, {}, CONTEXT);
  });

  it('is told of before its deletion is acknowledged', async () => {
    await account('other');
    await account('third', 'team-c');
    await door(ACCOUNTS).remove({ ...ACCOUNTS, namespace: 'team-a', name: 'other' }, {}, CONTEXT);
    expect(removals).toEqual([['other', 'team-a']]);
    await door(ACCOUNTS).removeCollection(ACCOUNTS, { namespace: 'team-c' }, {}, CONTEXT);
    expect(removals.slice(1)).toEqual([[undefined, 'team-c']]);
  });

  it('is another one in another Project', async () => {
    await account('other');
    await account('sandbox', 'team-c');
    await door(ACCOUNTS).remove({ ...ACCOUNTS, namespace: 'team-a', name: 'other' }, {}, CONTEXT);
    await door(ACCOUNTS).removeCollection(ACCOUNTS, { namespace: 'team-c' }, {}, CONTEXT);
    const gone = door(ACCOUNTS).remove({ ...ACCOUNTS, namespace: 'team-a', name: 'sandbox' }, {}, CONTEXT);
    await expect(gone).rejects.toMatchObject({ code: 'NotFound' });
  });
});
