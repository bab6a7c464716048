import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KubeObject, ObjectMeta, WatchEvent } from '@crate/api';
import { Database, migrate } from '@crate/database';
import { hasCode, type ErrorCode } from '@crate/errors';
import { eventually, startPostgres, type PostgresServer } from '@crate/testing';
import {
  PostgresResourceStore,
  resourceStoreMigrations,
  type ObjectKey,
  type ResourceStore,
  type StoreQuery,
} from '../index.js';

const WIDGETS: StoreQuery = { group: 'test.crate.dev', kind: 'Widget' };
const REPLICAS = 3;
const WRITERS = 24;
const NAMES = 400;

/** How many changes the order is watched over. Fewer find what is careless; for what is rare: COMMIT_ORDER_CHANGES=100000. */
const CHANGES = Number(process.env['COMMIT_ORDER_CHANGES'] ?? 8_000);

/** A random source that can be repeated (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Random = ReturnType<typeof randomFrom>;

/** Replicas of one service over one database, any of which may be closed and opened again at any time. */
class Replicas {
  private readonly databases: Database[];
  readonly stores: PostgresResourceStore[];

  constructor(url: string) {
    this.databases = Array.from({ length: REPLICAS }, () => new Database({ url, schema: 'test', maxConnections: 8 }));
    this.stores = this.databases.map((database) => this.openStore(database));
  }

  any(random: Random): PostgresResourceStore {
    return this.stores[random(REPLICAS)] as PostgresResourceStore;
  }

  async restart(index: number): Promise<void> {
    await this.stores[index]?.close();
    this.stores[index] = this.openStore(this.databases[index] as Database);
  }

  async close(): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
    await Promise.all(this.databases.map((database) => database.close()));
  }

  /** Far enough for every watcher, short enough to be compacted during the run. */
  private openStore(database: Database): PostgresResourceStore {
    return new PostgresResourceStore({ database, history: 0.6 * CHANGES, pollMs: 50 });
  }
}

/** What writes fail with because others were quicker, or the database was away. */
const EXPECTED: readonly ErrorCode[] = ['AlreadyExists', 'Conflict', 'NotFound', 'Unavailable'];

/** Creates, changes and deletes at random until `isDone`. */
async function write(
  replicas: Replicas,
  random: Random,
  isDone: () => boolean,
  expected: readonly ErrorCode[],
): Promise<void> {
  while (!isDone()) {
    const name = `w${random(NAMES)}`;
    const store = replicas.any(random);
    try {
      const object = await store.find(keyFor(name));
      await (object ? change(store, object, random) : create(store, name, random));
    } catch (error) {
      if (!hasCode(error, ...expected)) throw error;
    }
  }
}

function keyFor(name: string): ObjectKey {
  return { ...WIDGETS, namespace: 'team-a', name };
}

async function create(store: ResourceStore, name: string, random: Random): Promise<KubeObject> {
  const owner = random(4) === 0 ? await store.find(keyFor(`w${random(NAMES)}`)) : undefined;
  return store.create(newWidget(name, owner, random));
}

async function change(store: ResourceStore, object: KubeObject, random: Random): Promise<KubeObject> {
  const { metadata } = object;
  const choice = random(20);
  if (choice === 0) return store.remove(keyFor(metadata.name));
  if (choice === 1 || metadata.deletionTimestamp !== undefined) return store.update(withoutFinalizers(object));
  if (choice < 8) return store.update({ ...object, metadata: { ...metadata, labels: { color: `c${random(3)}` } } });
  return store.update({ ...object, status: { seen: random(1_000_000) } });
}

function newWidget(name: string, owner: KubeObject | undefined, random: Random): KubeObject {
  const metadata = { name, namespace: 'team-a', labels: { color: `c${random(3)}` } };
  const finalizers = random(2) === 0 ? ['test.crate.dev/widgets'] : [];
  const reference = owner && { apiVersion: owner.apiVersion, kind: owner.kind, name, uid: owner.metadata.uid };
  const ownerReferences = reference ? [reference] : [];
  return {
    apiVersion: 'test.crate.dev/v1',
    kind: 'Widget',
    metadata: { ...metadata, finalizers, ownerReferences } as unknown as ObjectMeta,
    spec: { size: random(100) },
  };
}

function withoutFinalizers(object: KubeObject): KubeObject {
  const { finalizers: _finalizers, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Replays what it is told, and notes everything that cannot be true if each change is seen once and in order. */
class ReplayingWatcher {
  readonly state = new Map<string, KubeObject>();
  readonly violations: string[] = [];
  cursor = 0;
  /** Refused for good, which is a violation too. */
  isLost = false;

  constructor(
    private readonly replicas: Replicas,
    private readonly random: Random,
    /** Without a selector the watcher sees every revision, so none may be missing. */
    private readonly labelSelector?: string,
  ) {}

  get query(): StoreQuery {
    return this.labelSelector === undefined ? WIDGETS : { ...WIDGETS, labelSelector: this.labelSelector };
  }

  /** Connects to any replica, drops the connection at random, and resumes where it was. */
  async follow(isDone: () => boolean): Promise<void> {
    while (!isDone() && !this.isLost) {
      try {
        await this.connectOnce(isDone);
      } catch (error) {
        this.isLost = !hasCode(error, 'Unavailable');
        if (this.isLost) this.violations.push(String(error));
      }
    }
  }

  private async connectOnce(isDone: () => boolean): Promise<void> {
    const stop = new AbortController();
    const options = { fromRevision: String(this.cursor), signal: stop.signal, bookmarkEveryMs: 20 };
    const leavesByItself = this.random(2) === 0;
    let left = 1 + this.random(1_200);
    for await (const event of this.replicas.any(this.random).watch(this.query, options)) {
      this.see(event);
      left -= 1;
      if (left === 0 && leavesByItself) break;
      if (left <= 0 || isDone()) stop.abort();
    }
  }

  private see({ type, object }: WatchEvent): void {
    const revision = Number(object.metadata.resourceVersion);
    const isInOrder = type === 'BOOKMARK' ? revision >= this.cursor : revision > this.cursor;
    const isNext = this.labelSelector !== undefined || type === 'BOOKMARK' || revision === this.cursor + 1;
    if (!isInOrder || !isNext) this.violations.push(`${type} ${revision} after ${this.cursor}`);
    if (type === 'BOOKMARK' && this.labelSelector === undefined && revision !== this.cursor) {
      this.violations.push(`BOOKMARK ${revision} at ${this.cursor}`);
    }
    this.cursor = revision;
    if (type !== 'BOOKMARK') this.apply(type, object);
  }

  private apply(type: WatchEvent['type'], object: KubeObject): void {
    const { name, uid, resourceVersion } = object.metadata;
    const known = this.state.get(name);
    const isPossible = type === 'ADDED' ? known === undefined : known?.metadata.uid === uid;
    if (!isPossible) this.violations.push(`${type} ${name} at ${resourceVersion} cannot follow`);
    if (type === 'DELETED') this.state.delete(name);
    else this.state.set(name, object);
  }
}

interface Trial {
  readonly seed: number;
  readonly changes: number;
  /** Called once for each tenth of the changes. */
  readonly disturb?: (replicas: Replicas, tenth: number) => Promise<void>;
  /** Default EXPECTED. */
  readonly expected?: readonly ErrorCode[];
}

interface Findings {
  readonly violations: readonly string[];
  readonly revision: number;
  readonly seconds: number;
}

/** Lets writers and watchers loose and compares what each watcher saw with what the table says. */
async function attempt(url: string, trial: Trial): Promise<Findings> {
  const replicas = new Replicas(url);
  const random = randomFrom(trial.seed);
  const selectors = [undefined, undefined, undefined, undefined, 'color=c1', 'color!=c1'];
  const watchers = selectors.map((selector) => new ReplayingWatcher(replicas, randomFrom(random(1e9)), selector));
  let isOver = false;
  const following = Promise.all(watchers.map((watcher) => watcher.follow(() => isOver)));
  const writing = writeAll(replicas, random, trial, () => isOver);
  try {
    const begun = performance.now();
    const revision = await Promise.race([writing, following.then(() => 0)]);
    const seconds = (performance.now() - begun) / 1000;
    const isDone = (watcher: ReplayingWatcher): boolean =>
      watcher.cursor >= revision || watcher.isLost || watcher.violations.length > 100;
    await Promise.race([following, eventually(() => watchers.every(isDone), { timeoutMs: 60_000 })]);
    return { violations: await violationsOf(watchers, replicas.any(random)), revision, seconds };
  } finally {
    isOver = true;
    await Promise.allSettled([following, writing]);
    await replicas.close();
  }
}

/** Writes until there are enough changes, disturbs in between, and gives the last revision. */
async function writeAll(
  replicas: Replicas,
  random: Random,
  { changes, disturb, expected = EXPECTED }: Trial,
  isOver: () => boolean,
): Promise<number> {
  let revision = 0;
  const readRevision = async (): Promise<void> => {
    const text = await replicas.any(random).currentRevision();
    revision = Number(text);
  };
  const writing = Array.from({ length: WRITERS }, () =>
    write(replicas, randomFrom(random(1e9)), () => isOver() || revision >= changes, expected),
  );
  for (let tenth = 1; tenth <= 10 && !isOver(); tenth += 1) {
    const isReached = async (): Promise<boolean> =>
      readRevision().then(() => isOver() || revision >= (changes * tenth) / 10);
    await eventually(isReached, { timeoutMs: 600_000 });
    if (!isOver()) await disturb?.(replicas, tenth);
  }
  await Promise.all(writing);
  await readRevision();
  return revision;
}

async function violationsOf(watchers: readonly ReplayingWatcher[], store: ResourceStore): Promise<readonly string[]> {
  const differences = await Promise.all(watchers.map((watcher) => differencesOf(watcher, store)));
  return [...watchers.flatMap((watcher) => watcher.violations), ...differences.flat(), ...(await orphansOf(store))];
}

async function differencesOf(watcher: ReplayingWatcher, store: ResourceStore): Promise<readonly string[]> {
  const stored = new Map((await store.list(watcher.query)).items.map((item) => [item.metadata.name, item]));
  const names = [...new Set([...stored.keys(), ...watcher.state.keys()])];
  const same = (name: string): boolean => isDeepStrictEqual(stored.get(name), watcher.state.get(name));
  return names.filter((name) => !same(name)).map((name) => `${name} was replayed to another state than is stored`);
}

/** Dependents that a cascade missed because they were created while their owner went; those being deleted it did not miss. */
async function orphansOf(store: ResourceStore): Promise<readonly string[]> {
  const { items } = await store.list(WIDGETS);
  const uids = new Set(items.map((item) => item.metadata.uid));
  const staying = items.filter((item) => item.metadata.deletionTimestamp === undefined);
  const orphans = staying.filter((item) => item.metadata.ownerReferences?.some((owner) => !uids.has(owner.uid)));
  return orphans.map((item) => `${item.metadata.name} is left without its owner`);
}

/** Revisions from a sequence and no lock, as one would write it at first: commits overtake each other. */
const SABOTAGE = `
  CREATE SEQUENCE careless;
  DO $do$
  DECLARE body text := pg_get_functiondef('commit_resource_writes'::regproc);
  BEGIN
    body := regexp_replace(body, 'PERFORM pg_advisory_xact_lock[^;]*;', '');
    body := replace(body, 'newest := newest + 1;', 'newest := nextval(''careless''); PERFORM pg_sleep(random() * 0.002);');
    body := replace(body, 'SET revision = newest', 'SET revision = greatest(revision, newest)');
    EXECUTE body;
  END $do$`;

describe('the order of changes', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => server.stop());

  const newDatabase = async (): Promise<string> => {
    const { url } = await server.createDatabase();
    await migrate({ url, schema: 'test', directories: [resourceStoreMigrations] });
    return url;
  };

  it('is the same for all watchers over thousands of concurrent writes, restarts and a crash of the database', async () => {
    const seed = Math.floor(Math.random() * 1e9);
    const disturb = async (replicas: Replicas, tenth: number): Promise<void> => {
      if (tenth === 5) process.kill(server.pid, 'SIGKILL');
      if (tenth === 5) await server.restart();
      else await replicas.restart(tenth % REPLICAS);
    };

    const { violations, revision, seconds } = await attempt(await newDatabase(), { seed, changes: CHANGES, disturb });

    expect({ seed, violations: violations.slice(0, 5) }).toEqual({ seed, violations: [] });
    expect(revision).toBeGreaterThanOrEqual(CHANGES);
    process.stderr.write(
      `      ${Math.round(revision / seconds)} changes/s with ${WRITERS} writers, ${REPLICAS} replicas\n`,
    );
  }, 600_000);

  it('is found broken by the same check when revisions are not given out in commit order', async () => {
    const url = await newDatabase();
    const database = new Database({ url, schema: 'test' });
    await database.rowsOnce(SABOTAGE);
    await database.close();

    const { violations } = await attempt(url, { seed: 1, changes: 3_000, expected: [...EXPECTED, 'Invariant'] });

    expect(violations).not.toEqual([]);
  }, 600_000);
});
