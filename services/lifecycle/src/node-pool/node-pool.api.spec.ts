import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  CLUSTER,
  NODE_POOL,
  type Cluster,
  type KubeList,
  type KubeObject,
  type NodePool,
  type WatchEvent,
} from '@crate/api';
import { invalidSpec, toStatus, type PlatformError } from '@crate/errors';
import { TypedClient, type CallContext, type ListOptions, type WatchOptions } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi, type AdmissionHook } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { aCluster } from '../testing/a-cluster.js';
import { refOf } from '../testing/class-bench.js';
import { NodePoolApi } from './node-pool.api.js';

const ADA: CallContext = { caller: { user: 'ada', groups: ['team-a'] }, traceId: 'trace' };
const WORKERS = refOf(NODE_POOL, 'demo.workers', 'team-a');
const POOLS = [
  { name: 'workers', replicas: 2, machineType: 'm5.xlarge' },
  { name: 'spot', replicas: 1 },
];

let store: InMemoryResourceStore;
let stored: LocalResourceApi;
let pools: NodePoolApi;
let clusters: TypedClient<Cluster>;
let seen: { user: string; spec: unknown }[];
beforeEach(async () => {
  seen = [];
  const admit: AdmissionHook = ({ object, context }) => {
    seen.push({ user: context.caller.user, spec: object['spec'] });
    const { nodePools } = (object as Cluster).spec;
    if (nodePools.some(({ replicas }) => replicas === 13))
      throw invalidSpec('Never thirteen', [{ reason: 'FieldValueInvalid', field: 'spec', message: 'No' }]);
    return Promise.resolve();
  };
  store = new InMemoryResourceStore();
  stored = new LocalResourceApi({ store, kinds: new KindRegistry([{ definition: CLUSTER, admit: [admit] }]) });
  pools = new NodePoolApi(stored);
  clusters = new TypedClient(stored, CLUSTER, ADA);
  await make('demo', POOLS);
});

async function make(name: string, nodePools: unknown, namespace = 'team-a'): Promise<Cluster> {
  const { spec } = aCluster({ nodePools });
  return clusters.ensure({ metadata: { name, namespace }, spec }, 'ada');
}

function names(list: KubeList): string[] {
  return list.items.map(({ metadata }) => metadata.name);
}

async function list(options: ListOptions = {}): Promise<KubeList> {
  return pools.list(NODE_POOL, options, ADA);
}

async function scale(body: unknown, options: { dryRun?: boolean; name?: string } = {}): Promise<KubeObject> {
  const { name = 'demo.workers', ...rest } = options;
  const write = { verb: 'patch' as const, body, fieldManager: 'kubectl', ...rest };
  return (await pools.writeSubresource(refOf(NODE_POOL, name, 'team-a'), 'scale', write, ADA)) as KubeObject;
}

describe('a node pool', () => {
  it('is a part of its cluster, seen as an object', async () => {
    const demo = (await clusters.find('demo', 'team-a')) as Cluster;
    await clusters.saveStatus(demo, { nodePools: [{ name: 'workers', nodes: 2, ready: 1 }] });
    expect(await pools.get(WORKERS, ADA)).toMatchObject({
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'NodePool',
      metadata: {
        name: 'demo.workers',
        namespace: 'team-a',
        uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/) as unknown,
        labels: { 'lifecycle.crate.dev/cluster': 'demo', 'lifecycle.crate.dev/node-pool': 'workers' },
        ownerReferences: [{ kind: 'Cluster', name: 'demo', uid: demo.metadata.uid }],
      },
      spec: { clusterRef: { name: 'demo' }, name: 'workers', replicas: 2, machineType: 'm5.xlarge', diskGiB: 50 },
      status: { replicas: 2, readyReplicas: 1 },
    });
  });

  it('fits its own schema', async () => {
    const { spec, status } = (await pools.get(WORKERS, ADA)) as NodePool;
    expect(NODE_POOL.body.safeParse({ spec, status }).error).toBeUndefined();
  });

  it.each(['demo.other', 'other.workers', 'demo', 'demo.workers.more', '.workers'])('%s is not found', async (name) => {
    const error = await pools.get(refOf(NODE_POOL, name, 'team-a'), ADA).catch((thrown: unknown) => thrown);
    expect(toStatus(error)).toMatchObject({ code: 404, message: `nodepools.lifecycle.crate.dev "${name}" not found` });
  });

  it.each([
    { verb: 'create', call: () => pools.create(NODE_POOL) },
    { verb: 'update', call: () => pools.update({ ...NODE_POOL, name: 'x' }) },
    { verb: 'patch', call: () => pools.patch({ ...NODE_POOL, name: 'x' }) },
    { verb: 'delete', call: () => pools.remove({ ...NODE_POOL, name: 'x' }) },
    { verb: 'deletecollection', call: () => pools.removeCollection(NODE_POOL) },
  ])('cannot be written by $verb, and says where to do it (405)', async ({ call }) => {
    const status = toStatus(await call().catch((thrown: unknown) => thrown));
    expect(status).toMatchObject({ code: 405, reason: 'MethodNotAllowed' });
    expect(status.message).toContain('spec.nodePools of their Cluster');
  });
});

describe('a list of node pools', () => {
  beforeEach(async () => {
    await make(
      'many',
      Array.from({ length: 7 }, (_, index) => ({ name: `p${index}` })),
    );
    await make('none', []);
    await make('theirs', [{ name: 'workers', machineType: 'm5.xlarge' }], 'team-b');
  });

  it.each([
    { options: { namespace: 'team-b' }, want: ['theirs.workers'] },
    { options: { labelSelector: 'lifecycle.crate.dev/node-pool=workers' }, want: ['demo.workers', 'theirs.workers'] },
    { options: { fieldSelector: 'metadata.name=demo.spot' }, want: ['demo.spot'] },
    { options: { fieldSelector: 'spec.clusterRef.name=demo' }, want: ['demo.workers', 'demo.spot'] },
    { options: { fieldSelector: 'spec.machineType=m5.xlarge', namespace: 'team-a' }, want: ['demo.workers'] },
    { options: { fieldSelector: 'metadata.name=nothing' }, want: [] },
    { options: { fieldSelector: 'metadata.name!=demo.spot,spec.clusterRef.name=demo' }, want: ['demo.workers'] },
  ])('selects $options', async ({ options, want }) => {
    expect(names(await list(options))).toEqual(want);
  });

  it.each([1, 2, 3, 4, 5, 100])('comes in pages of at most %d, all of one state', async (limit) => {
    const all = names(await list());
    expect(all).toHaveLength(10);
    const found: string[] = [];
    let page = await list({ limit });
    const { resourceVersion } = page.metadata;
    for (let pages = 0; pages < 20; pages += 1) {
      expect(page.items.length).toBeLessThanOrEqual(limit);
      expect(page.metadata.resourceVersion).toBe(resourceVersion);
      found.push(...names(page));
      const { continue: token } = page.metadata;
      if (token === undefined) break;
      await make(`added-${pages}`, [{ name: 'x' }]);
      await make('demo', [...POOLS, { name: `later-${pages}` }]);
      page = await list({ limit, continue: token });
    }
    expect(found).toEqual(all);
  });

  it.each([1, 2, 3, 4])('that expired after %d pages goes on with the token that it is told of', async (pages) => {
    const all = names(await list());
    const found: string[] = [];
    let place: string | undefined;
    for (let page = 0; page < pages; page += 1) {
      const { items, metadata } = await list({ limit: 1, ...(place === undefined ? {} : { continue: place }) });
      found.push(...items.map((pool) => pool.metadata.name));
      place = metadata.continue;
    }
    await make('demo', [...POOLS, { name: 'later' }]);
    await store.compact(0);
    const error: unknown = await list({ limit: 1, continue: place ?? '' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'Gone', details: { reason: 'Expired' } });
    found.push(...names(await list({ continue: (error as PlatformError).details.continue ?? '' })));
    // Within the first cluster there is no place to go on from but the beginning.
    expect([...new Set(found)].filter((name) => name !== 'demo.later')).toEqual(all);
  });

  /** The pages from a token on, with what happens between them. */
  async function rest(
    options: ListOptions,
    between: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<string[]> {
    const found: string[] = [];
    let place = options.continue;
    for (let pages = 0; pages < 20 && place !== undefined; pages += 1) {
      const page = await list({ ...options, continue: place });
      found.push(...names(page));
      place = page.metadata.continue;
      await between();
    }
    return found;
  }

  it.each([1, 2, 3])('that expired shows one state again from there on, in pages of at most %d', async (limit) => {
    const all = names(await list());
    const first = await list({ limit: 3 });
    await make('demo', [...POOLS, { name: 'later' }]);
    await store.compact(0);
    const error: unknown = await list({ limit, continue: first.metadata.continue ?? '' }).catch(
      (thrown: unknown) => thrown,
    );
    const place = (error as PlatformError).details.continue ?? '';
    // Those of which some were sent: fewer in front of the others.
    const left = Array.from({ length: 7 }, (_, index) => ({ name: `p${index}` }));
    const found = await rest({ limit, continue: place }, () => make('many', left.splice(1)));
    expect(found).toEqual(all.slice(2));
  });

  it('sends each pool once, however many are asked for at a time', async () => {
    const all = names(await list());
    const first = await list({ limit: 5 });
    expect([...names(first), ...(await rest({ limit: 1, continue: first.metadata.continue ?? '' }))]).toEqual(all);
  });

  describe('of which a part was read when its state is forgotten', () => {
    beforeEach(() => {
      const read = stored.list.bind(stored);
      jest.spyOn(stored, 'list').mockImplementationOnce(async (kind, options, context) => {
        const page = await read(kind, { ...options, limit: 1 }, context);
        await make('demo', [...POOLS, { name: 'later' }]);
        await store.compact(0);
        return page;
      });
    });

    it('sends that part first, and says then where to go on', async () => {
      const { items, metadata } = await list({ limit: 5 });
      expect(names({ items } as unknown as KubeList)).toEqual(['demo.workers', 'demo.spot']);
      const error: unknown = await list({ limit: 5, continue: metadata.continue ?? '' }).catch(
        (thrown: unknown) => thrown,
      );
      const { continue: place = '' } = (error as PlatformError).details;
      expect(await rest({ limit: 5, continue: place })).toHaveLength(8);
    });

    it('is no list where all was asked for, and there is nowhere to go on from', async () => {
      const error: unknown = await list().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'Gone', details: { reason: 'Expired' } });
      expect((error as PlatformError).details.continue).toBeUndefined();
    });
  });

  it('refuses a token that is none of its own', async () => {
    for (const token of [
      'x',
      ...['["",1]', '["1",-1]', '[1,1]'].map((text) => Buffer.from(text).toString('base64url')),
    ]) {
      await expect(list({ continue: token })).rejects.toMatchObject({ code: 'BadRequest' });
    }
  });
});

describe('a scale', () => {
  it('tells the replicas that are asked for and those there are', async () => {
    expect(await pools.readSubresource(WORKERS, 'scale', ADA)).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'demo.workers', namespace: 'team-a' },
      spec: { replicas: 2 },
      status: { replicas: 0 },
    });
    await expect(pools.readSubresource(WORKERS, 'kubeconfig', ADA)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('sets the one pool in its cluster, as the caller, who owns it from then on', async () => {
    expect(await scale({ spec: { replicas: 4 } })).toMatchObject({ kind: 'Scale', spec: { replicas: 4 } });
    const demo = (await clusters.find('demo', 'team-a')) as Cluster;
    expect(demo.spec.nodePools).toMatchObject([
      { name: 'workers', replicas: 4 },
      { name: 'spot', replicas: 1 },
    ]);
    expect(seen.at(-1)).toMatchObject({ user: 'ada' });
    const owner = demo.metadata.managedFields?.find(({ manager }) => manager === 'kubectl');
    expect(owner?.fieldsV1).toEqual({ 'f:spec': { 'f:nodePools': { 'k:{"name":"workers"}': { 'f:replicas': {} } } } });
  });

  it('writes nothing in a dry run, and nothing when it is so already', async () => {
    const before = await store.currentRevision();
    expect(await scale({ spec: { replicas: 4 } }, { dryRun: true })).toMatchObject({ spec: { replicas: 4 } });
    await scale({ spec: { replicas: 2 } });
    expect(await store.currentRevision()).toBe(before);
  });

  it.each([
    { name: 'nothing', body: {}, code: 'BadRequest' },
    { name: 'a fraction', body: { spec: { replicas: 1.5 } }, code: 'BadRequest' },
    { name: 'less than none', body: { spec: { replicas: -1 } }, code: 'BadRequest' },
    { name: 'more than a pool may have', body: { spec: { replicas: 1000 } }, code: 'InvalidSpec' },
    { name: 'what admission refuses', body: { spec: { replicas: 13 } }, code: 'InvalidSpec' },
    { name: 'another object', body: { metadata: { uid: 'x' }, spec: { replicas: 3 } }, code: 'Conflict' },
  ])('of $name is refused', async ({ body, code }) => {
    await expect(scale(body)).rejects.toMatchObject({ code });
    expect((await clusters.find('demo', 'team-a'))?.spec.nodePools[0]?.replicas).toBe(2);
  });

  it('of no pool is not found', async () => {
    await expect(scale({ spec: { replicas: 1 } }, { name: 'demo.other' })).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('for a version holds while the pool is as it was then, whatever happens to its cluster', async () => {
    const { resourceVersion } = (await pools.get(WORKERS, ADA)).metadata;
    const demo = (await clusters.find('demo', 'team-a')) as Cluster;
    await clusters.saveStatus(demo, { progress: { step: 1, steps: 2, message: 'On its way' } });
    await scale({ spec: { replicas: 3 } }, { name: 'demo.spot' });
    expect(await scale({ metadata: { resourceVersion }, spec: { replicas: 5 } })).toMatchObject({
      spec: { replicas: 5 },
    });
    await expect(scale({ metadata: { resourceVersion }, spec: { replicas: 6 } })).rejects.toMatchObject({
      code: 'Conflict',
    });
  });

  it('for a version that nobody remembers is a conflict', async () => {
    const { resourceVersion } = (await pools.get(WORKERS, ADA)).metadata;
    await make('demo', [...POOLS, { name: 'third' }]);
    await store.compact(0);
    await expect(scale({ metadata: { resourceVersion }, spec: { replicas: 6 } })).rejects.toMatchObject({
      code: 'Conflict',
    });
  });

  it('loses nothing when many are written at once', async () => {
    const writes = Array.from({ length: 20 }, (_, index) =>
      scale({ spec: { replicas: index + 20 } }, { name: index % 2 === 0 ? 'demo.workers' : 'demo.spot' }),
    );
    await Promise.all(writes);
    const [workers, spot] = ((await clusters.find('demo', 'team-a')) as Cluster).spec.nodePools;
    expect(workers?.replicas).toBeGreaterThanOrEqual(20);
    expect(spot?.replicas).toBeGreaterThanOrEqual(20);
  });
});

describe('a watch', () => {
  async function collectAll<T>(options: WatchOptions, enough: number, shown: (event: WatchEvent) => T): Promise<T[]> {
    const abort = new AbortController();
    const told: T[] = [];
    for await (const event of pools.watch(NODE_POOL, options, { ...ADA, signal: abort.signal })) {
      told.push(shown(event));
      if (told.length === enough) abort.abort();
    }
    return told;
  }

  const collect = (options: WatchOptions, enough: number): Promise<string[]> => collectAll(options, enough, textOf);

  function textOf({ type, object }: WatchEvent): string {
    const { name = '', resourceVersion } = object.metadata;
    return type === 'BOOKMARK'
      ? `${type} ${resourceVersion}`
      : `${type} ${name} ${(object as NodePool).spec.replicas} @${resourceVersion}`;
  }

  it('tells what exists, and where that ends', async () => {
    const revision = await store.currentRevision();
    expect(await collect({ sendInitialEvents: true }, 3)).toEqual([
      `ADDED demo.workers 2 @${revision}`,
      `ADDED demo.spot 1 @${revision}`,
      `BOOKMARK ${revision}`,
    ]);
  });

  it('tells from a revision which pools came, changed and went, and nothing of what is as it was', async () => {
    const from = await store.currentRevision();
    await scale({ spec: { replicas: 4 } });
    const demo = (await clusters.find('demo', 'team-a')) as Cluster;
    await clusters.saveStatus(demo, { progress: { step: 1, steps: 2, message: 'On its way' } });
    await make('demo', [{ ...POOLS[1], replicas: 6 }, { name: 'extra' }]);
    await clusters.remove('demo', 'team-a');
    const at = (after: number): string => `@${Number(from) + after}`;
    expect(await collect({ resourceVersion: from }, 6)).toEqual([
      `MODIFIED demo.workers 4 ${at(1)}`,
      `DELETED demo.workers 4 ${at(2)}`,
      `MODIFIED demo.spot 6 ${at(2)}`,
      `ADDED demo.extra 1 ${at(3)}`,
      `DELETED demo.spot 6 ${at(3)}`,
      `DELETED demo.extra 1 ${at(4)}`,
    ]);
  });

  it('tells that somebody has looked at a change, and once only', async () => {
    const observe = async (observedGeneration: number, message = ''): Promise<void> => {
      const demo = (await clusters.find('demo', 'team-a')) as Cluster;
      const nodePools = [{ name: 'workers', nodes: 2, ready: 2 }];
      await clusters.saveStatus(demo, { observedGeneration, nodePools, progress: { step: 1, steps: 2, message } });
    };
    await observe(1);
    const from = await store.currentRevision();
    await scale({ spec: { replicas: 4 } });
    await observe(1, 'On its way');
    await observe(2);
    await observe(2, 'Nothing new');
    await make('demo', []);
    const generations = ({ type, object: { metadata, status } }: WatchEvent): unknown[] => [
      type,
      metadata.generation,
      (status as NodePool['status'])?.observedGeneration,
    ];
    const options = { resourceVersion: from, fieldSelector: 'metadata.name=demo.workers' };
    expect(await collectAll(options, 3, generations)).toEqual([
      ['MODIFIED', 2, 1],
      ['MODIFIED', 2, 2],
      ['DELETED', 2, 2],
    ]);
  });

  it('misses nothing when it goes on from any event it was told', async () => {
    const from = await store.currentRevision();
    await make('demo', [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    const first = await collect({ resourceVersion: from }, 5);
    for (let cut = 1; cut <= first.length; cut += 1) {
      const reached = /@(\d+)$/.exec(first[cut - 1] as string)?.[1] as string;
      const rest = first.slice(cut);
      const again = rest.length === 0 ? [] : await collect({ resourceVersion: reached }, first.length);
      for (const event of rest) expect(again).toContain(event);
    }
  });

  it('sees a pool that stops matching go, and one that begins to match come', async () => {
    const from = await store.currentRevision();
    await make('demo', [
      { ...POOLS[0], machineType: 'm5.2xlarge' },
      { ...POOLS[1], machineType: 'm5.xlarge' },
    ]);
    const told = await collect({ resourceVersion: from, fieldSelector: 'spec.machineType=m5.xlarge' }, 2);
    expect(told.map((text) => text.split(' @')[0])).toEqual(['DELETED demo.workers 2', 'ADDED demo.spot 1']);
  });

  it('from a revision that is too old is told so', async () => {
    await make('demo', [{ name: 'a' }]);
    await store.compact(0);
    await expect(collect({ resourceVersion: '1' }, 1)).rejects.toMatchObject({ code: 'Gone' });
  });

  it('from a revision that the database has lost is told to list again', async () => {
    await expect(collect({ resourceVersion: '99999' }, 1)).rejects.toMatchObject({
      code: 'Gone',
      details: { reason: 'Expired' },
    });
  });
});
