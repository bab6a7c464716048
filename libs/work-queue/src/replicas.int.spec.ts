import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '@crate/database';
import type { ReconcileKey } from '@crate/reconcile';
import { eventually, startPostgres, type PostgresServer } from '@crate/testing';
import { PostgresWorkQueue } from './index.js';
import { Bench, Replica, STEPS } from './replicas.fixture.js';
import { createTestDatabase, writeFingerprint } from './test-database.js';

const KEYS = 200;
const keys: ReconcileKey[] = Array.from({ length: KEYS }, (_, index) => ({ namespace: 'team-a', name: `c${index}` }));

let server: PostgresServer;
let database: Database;
let queue: PostgresWorkQueue;
let bench: Bench;
let replicas: Replica[];

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  database = await createTestDatabase(server);
  queue = new PostgresWorkQueue({ database });
  bench = new Bench(database);
  replicas = [];
  await bench.prepare();
});
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await database.close();
});

function addReplica(): Replica {
  const replica = new Replica(`replica-${replicas.length}`, bench);
  replicas.push(replica);
  return replica;
}

async function stepsDone(): Promise<number> {
  return (
    (await database.firstRow<{ sum: number }>('SELECT COALESCE(sum(steps), 0)::int AS sum FROM progress'))?.sum ?? 0
  );
}

/** In this order: once all steps are done no key comes due any more, and a depth from before it could be of keys that wait for their last one. */
async function isSettled(): Promise<boolean> {
  if ((await stepsDone()) < KEYS * STEPS) return false;
  const { due, leased } = await queue.depth('cluster');
  return due === 0 && leased === 0;
}

/** Each step was written once, and no write of an older epoch was committed after one of a newer. */
async function expectOrderedWrites(): Promise<void> {
  const steps = await database.rows<{ steps: number }>('SELECT DISTINCT steps FROM progress');
  expect(steps).toEqual([{ steps: STEPS }]);
  const disordered = await database.rows(
    `SELECT * FROM (SELECT name, epoch, lag(epoch) OVER (PARTITION BY name ORDER BY seq) AS before FROM writes) AS pair
     WHERE epoch < before`,
  );
  expect(disordered).toEqual([]);
}

describe('replicas over one queue', () => {
  it('share the work, one pass of a key at a time', async () => {
    for (let index = 0; index < 3; index++) addReplica();
    await queue.enqueue('cluster', keys);
    await eventually(isSettled);

    await expectOrderedWrites();
    expect(bench.overlaps).toEqual([]);
    const passes = replicas.map((replica) => replica.passes);
    expect(Math.min(...passes)).toBeGreaterThan((KEYS * STEPS) / 10);
  });

  it('converge though some die and others go on as zombies, whose late writes are refused', async () => {
    for (let index = 0; index < 3; index++) addReplica();
    // However fast the work goes, one of them has a step of it in hand when it falls asleep.
    replicas[0]?.becomeZombie();
    await queue.enqueue('cluster', keys);
    for (let fault = 1; fault <= 6; fault++) {
      const before = await stepsDone();
      await eventually(async () => (await stepsDone()) >= Math.min(before + 60, KEYS * STEPS));
      const well = replicas.filter((replica) => replica.isWell);
      const victim = well[Math.floor(Math.random() * well.length)];
      if (fault % 2 === 0) victim?.die();
      else victim?.becomeZombie();
      addReplica();
    }
    await eventually(isSettled);
    await Promise.all(replicas.map((replica) => replica.drained()));

    expect(bench.refusedWrites).toBeGreaterThan(0);
    await expectOrderedWrites();
    expect(bench.overlaps).toEqual([]);
  });

  it('write nothing once all is settled', async () => {
    const looks = { count: 0 };
    for (let index = 0; index < 2; index++) addReplica();
    await queue.enqueue('cluster', keys);
    await eventually(isSettled);
    for (const replica of replicas) replica.onLook = () => looks.count++;
    const before = await writeFingerprint(database);
    await eventually(() => looks.count >= 10);

    expect(await writeFingerprint(database)).toBe(before);
  });

  it('hand over at once when one stops in good order', async () => {
    const [first] = [addReplica(), addReplica()];
    await queue.enqueue('cluster', keys);
    await eventually(async () => (await stepsDone()) > KEYS / 2);
    await first.stop();
    const passes = first.passes;
    await eventually(isSettled);

    await expectOrderedWrites();
    expect(first.passes).toBe(passes);
    expect(bench.overlaps).toEqual([]);
  });
});
