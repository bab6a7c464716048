import { CLUSTER, PLAN, type CloudAccount, type Cluster, type KubeObject, type WatchEvent } from '@crate/api';
import { PlatformError, unavailable } from '@crate/errors';
import type { WatchOptions } from '@crate/resource-client';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aFleetCluster, at, not, type FleetCluster } from '../testing/a-fleet.js';
import { FleetFeed } from './fleet-feed.js';
import { FleetIndex } from './fleet-index.js';
import { fleetPage } from './fleet-page.js';
import { parseFleetQuery } from './fleet-query.js';

const ALL = { key: '*' };
const CLUSTERS = { group: CLUSTER.group, kind: CLUSTER.kind };

/** Changes what a store answers. */
type Changes = Partial<Pick<InMemoryResourceStore, 'list' | 'watch' | 'currentRevision' | 'notify'>>;

let store: InMemoryResourceStore;
let changes: Changes;
let logger: InMemoryLogger;
let index: FleetIndex;
let feed: FleetFeed;
let uptime: () => number;
let accounts: WatchEvent[];
beforeEach(() => {
  store = new InMemoryResourceStore({ history: 20 });
  changes = {};
  logger = new InMemoryLogger();
  uptime = () => performance.now();
  accounts = [];
});
afterEach(async () => {
  await feed.stop();
  await store.close();
});

function start(): void {
  const changed = new Proxy(store, {
    get: (target, property) => {
      const value: unknown = Reflect.get(changes, property) ?? Reflect.get(target, property);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  index = new FleetIndex({ uptime: () => uptime() });
  const client = { watch: (_options: WatchOptions, signal: AbortSignal) => told(signal) };
  feed = new FleetFeed({
    index,
    store: changed,
    accounts: client,
    logger,
    pulseMs: 20,
  });
  feed.start();
}

async function* told(signal: AbortSignal): AsyncGenerator<WatchEvent<CloudAccount>> {
  while (!signal.aborted) {
    for (const event of accounts.splice(0)) yield event as WatchEvent<CloudAccount>;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function create(given: FleetCluster): Promise<KubeObject> {
  const { metadata, ...rest } = aFleetCluster(given);
  const { name, namespace } = metadata;
  return store.create({ ...rest, metadata: { name, namespace } as KubeObject['metadata'] });
}

async function remove(name: string): Promise<void> {
  await store.remove({ ...CLUSTERS, namespace: 'team-a', name });
}

function shown(): readonly string[] {
  const { rows } = fleetPage(index, parseFleetQuery(new URLSearchParams('sort=name')), ALL);
  return rows.map(({ name, health }) => `${name} ${health}`);
}

async function becomes(...rows: readonly string[]): Promise<void> {
  await eventually(() => {
    expect(index.isKnown).toBe(true);
    expect(shown()).toEqual(rows);
  });
}

describe('FleetFeed', () => {
  it('tells what is stored, then every change, and nothing of what is gone', async () => {
    await create({ name: 'a' });
    await create({ name: 'b', spec: { paused: true } });
    start();
    await becomes('a Healthy', 'b Paused');
    await create({ name: 'c' });
    const [a] = (await store.list(CLUSTERS)).items as Cluster[];
    await store.update({ ...(a as Cluster), spec: { ...(a as Cluster).spec, paused: true } });
    await remove('b');
    await becomes('a Paused', 'c Healthy');
    await remove('a');
    await create({ name: 'a' });
    await becomes('a Healthy', 'c Healthy');
    expect(index.revision).toBe(await store.currentRevision());
  });

  it('answers nothing before all is read', async () => {
    for (const name of ['a', 'b', 'c']) await create({ name });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    changes.list = async (query, options) => {
      const page = await store.list(query, { ...options, limit: 1 });
      if (query.kind === CLUSTER.kind && options?.continue !== undefined) await held;
      return page;
    };
    start();
    await eventually(() => expect(index.size).toBe(1));
    expect(index.isKnown).toBe(false);
    expect(() => index.requireKnown()).toThrow(expect.objectContaining({ code: 'Unavailable' }));
    release();
    await becomes('a Healthy', 'b Healthy', 'c Healthy');
  });

  it('reads anew when the store has forgotten where the watch was, and drops what went meanwhile', async () => {
    await create({ name: 'a' });
    await create({ name: 'b' });
    let isAway = false;
    changes.watch = async function* (query, options) {
      if (isAway) throw unavailable('the database is away');
      for await (const event of store.watch(query, options)) {
        if (isAway) throw unavailable('the database is away');
        yield event;
      }
    };
    start();
    await becomes('a Healthy', 'b Healthy');
    isAway = true;
    await remove('a');
    for (let turn = 0; turn < 30; turn += 1) await create({ name: `t${turn}` }).then(() => remove(`t${turn}`));
    expect(shown()).toEqual(['a Healthy', 'b Healthy']);
    isAway = false;
    await becomes('b Healthy');
  });

  it('goes on in the same index after 410 Gone, without what is gone', async () => {
    await create({ name: 'a' });
    await create({ name: 'b' });
    let failure: Error | undefined;
    let lists = 0;
    changes.list = (query, options) => {
      if (query.kind === CLUSTER.kind) lists += 1;
      return store.list(query, options);
    };
    changes.watch = async function* (query, options) {
      for await (const event of store.watch(query, options)) {
        if (failure && query.kind === CLUSTER.kind) {
          const thrown = failure;
          failure = undefined;
          await store.remove({ ...CLUSTERS, namespace: 'team-a', name: 'a' });
          throw thrown;
        }
        yield event;
      }
    };
    start();
    await becomes('a Healthy', 'b Healthy');
    failure = new PlatformError('Gone', 'too old');
    await create({ name: 'c' });
    await becomes('b Healthy', 'c Healthy');
    expect(lists).toBe(2);
  });

  it('goes on from where it was after other errors, without reading all again', async () => {
    await create({ name: 'a' });
    let lists = 0;
    let fails = 1;
    changes.list = (query, options) => {
      if (query.kind === CLUSTER.kind) lists += 1;
      return store.list(query, options);
    };
    changes.watch = (query, options) => {
      if (query.kind === CLUSTER.kind && (fails -= 1) >= 0) throw unavailable('the database is away');
      return store.watch(query, options);
    };
    start();
    await create({ name: 'b' });
    await becomes('a Healthy', 'b Healthy');
    expect(lists).toBe(1);
  });

  it('reads anew when its watch does not come to where the store is', async () => {
    await create({ name: 'a' });
    let isDeaf = true;
    changes.watch = async function* (query, options) {
      for await (const event of store.watch(query, options)) if (!isDeaf) yield event;
    };
    let now = 0;
    uptime = () => now;
    start();
    await becomes('a Healthy');
    await remove('a');
    await create({ name: 'b' });
    // Pulses go on, and none is answered.
    const before = logger.lines.length;
    await eventually(() => {
      now += 1_000;
      isDeaf = now < 20_000;
      expect(logger.lines.slice(before)).toContainEqual(
        expect.objectContaining({ message: 'Reading a collection anew' }),
      );
    });
    isDeaf = false;
    await becomes('b Healthy');
  });

  it('reads anew when the store was set back to a backup', async () => {
    await create({ name: 'a' });
    start();
    await becomes('a Healthy');
    changes.currentRevision = () => Promise.resolve('0');
    await eventually(() =>
      expect(logger.lines).toContainEqual(expect.objectContaining({ message: 'Reading a collection anew' })),
    );
    changes.currentRevision = () => store.currentRevision();
    await becomes('a Healthy');
  });

  it('does not take a watch that overtakes the answer of the store for a store that was set back', async () => {
    await create({ name: 'a' });
    let lists = 0;
    let isOvertaken = false;
    changes.list = (query, options) => {
      if (query.kind === CLUSTER.kind) lists += 1;
      return store.list(query, options);
    };
    changes.currentRevision = async () => {
      const revision = await store.currentRevision();
      if (index.isKnown && !isOvertaken) {
        isOvertaken = true;
        await create({ name: 'b' });
        await eventually(() => expect(shown()).toContain('b Healthy'));
      }
      return revision;
    };
    start();
    await eventually(() => expect(isOvertaken).toBe(true));
    await create({ name: 'c' });
    await becomes('a Healthy', 'b Healthy', 'c Healthy');
    expect(lists).toBe(1);
    expect(logger.lines).toEqual([]);
  });

  it('lets a watch that is late catch up as long as it moves', async () => {
    for (let turn = 0; turn < 8; turn += 1) await create({ name: `c${turn}` });
    const objects = (await store.list(CLUSTERS)).items;
    let now = 0;
    let told = 0;
    uptime = () => now;
    changes.list = async (query, options) => ({
      ...(await store.list(query, options)),
      items: [],
      metadata: { resourceVersion: '1' },
    });
    changes.watch = async function* (query, options) {
      if (query.kind !== CLUSTER.kind) {
        yield* store.watch(query, options);
        return;
      }
      for (const object of objects) {
        now += 10_000;
        told += 1;
        yield { type: 'ADDED', object };
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      yield* store.watch(query, { ...options, fromRevision: String(objects.length) });
    };
    start();
    await eventually(() => expect(told).toBe(objects.length));
    const given = expect.objectContaining({ fields: { kind: CLUSTER.kind } }) as unknown;
    expect(logger.lines).not.toContainEqual(given);
  });

  it('answers no more while nobody says where the store is', async () => {
    await create({ name: 'a' });
    let now = 0;
    uptime = () => now;
    start();
    await becomes('a Healthy');
    changes.currentRevision = () => Promise.reject(unavailable('the database is away'));
    now = 40_000;
    expect(index.isKnown).toBe(false);
    changes.currentRevision = () => store.currentRevision();
    await becomes('a Healthy');
  });

  it('puts an account’s provider on the rows of its clusters, whichever comes first', async () => {
    await create({ name: 'a' });
    start();
    await becomes('a Healthy');
    const provider = (): string | undefined =>
      fleetPage(index, parseFleetQuery(new URLSearchParams()), ALL).rows[0]?.provider;
    expect(provider()).toBe('');
    const metadata = { name: 'sandbox', namespace: 'team-a', resourceVersion: '1' } as KubeObject['metadata'];
    const object = { apiVersion: 'v1', kind: 'CloudAccount', metadata, spec: { provider: 'aws' } };
    accounts.push({ type: 'ADDED', object: object });
    await eventually(() => expect(provider()).toBe('aws'));
    await create({ name: 'A2'.toLowerCase() });
    await becomes('a Healthy', 'a2 Healthy');
    expect(fleetPage(index, parseFleetQuery(new URLSearchParams('provider=aws')), ALL).matching).toBe(2);
  });
});

describe('plans that wait for approval', () => {
  const plan = { basis: { policyRevision: '', catalogueRevision: '', digest: '' }, summary: 'roll: 3 nodes' };

  async function createPlan(name: string, status: object = plan): Promise<KubeObject> {
    const metadata = { name, namespace: 'team-a' } as KubeObject['metadata'];
    const spec = { clusterRef: { name: 'a' }, destroy: true, ttl: '1h' };
    return store.create({ apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: PLAN.kind, metadata, spec, status });
  }

  it('block a cluster until somebody decides', async () => {
    await create({ name: 'a' });
    await createPlan('pending', {});
    start();
    await becomes('a Healthy');
    const stored = await createPlan('grow');
    await becomes('a Blocked');
    const [row] = fleetPage(index, parseFleetQuery(new URLSearchParams()), ALL).rows;
    expect(row?.cause).toMatchObject({
      condition: 'Approved',
      reason: 'NotApproved',
      message: 'Plan "grow" waits for approval: roll: 3 nodes',
      remedy: 'crate plan show grow -n team-a, then approve it or let it expire',
    });
    await store.update({ ...stored, status: { ...plan, approval: { by: 'ada', at: at('00:00') } } });
    await becomes('a Healthy');
  });

  it('say nothing where more is wrong, and nothing once they are gone', async () => {
    const failing = not('Ready', 'ReconcileError', '02:00');
    await create({ name: 'a', conditions: [failing] });
    await createPlan('grow');
    start();
    await becomes('a Failing');
    const [a] = (await store.list(CLUSTERS)).items as Cluster[];
    await store.update({ ...(a as Cluster), status: aFleetCluster().status });
    await becomes('a Blocked');
    await store.remove({ group: PLAN.group, kind: PLAN.kind, namespace: 'team-a', name: 'grow' });
    await becomes('a Healthy');
  });
});
