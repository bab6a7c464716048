import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '@crate/database';
import { workQueueContract, type ReconcileKey, type WorkLease } from '@crate/reconcile';
import { eventually, startPostgres, type PostgresServer } from '@crate/testing';
import { PostgresWorkQueue } from './index.js';
import { createTestDatabase, writeFingerprint } from './test-database.js';

let server: PostgresServer;
let database: Database;
let queue: PostgresWorkQueue;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  database = await createTestDatabase(server);
  queue = new PostgresWorkQueue({ database });
});
afterEach(() => database.close());

const demo: ReconcileKey = { namespace: 'team-a', name: 'demo' };
const ENQUEUE_DEMO = `SELECT enqueue_work('cluster', 'team-a', 'demo')`;

function keys(count: number): ReconcileKey[] {
  return Array.from({ length: count }, (_, index) => ({ namespace: 'team-a', name: `c${index}` }));
}

describe('PostgresWorkQueue', () => {
  /** Moving every stored time into the past is the same as letting time pass, without waiting for it. */
  const advance = async (ms: number): Promise<void> => {
    await database.execute(
      `UPDATE work_items SET due_at = due_at - $1 * interval '1 ms', lease_until = lease_until - $1 * interval '1 ms',
        traced_at = traced_at - $1 * interval '1 ms'`,
      [ms],
    );
  };

  it.each(workQueueContract)('$name', async ({ run }) => {
    await run({ queue, advance });
  });

  it('claims on disk, so that a crash of the server gives out no epoch twice', async () => {
    await queue.enqueue('cluster', keys(9));
    let onDisk = 0;
    for (let claims = 0; claims < 9; claims += 1) {
      await queue.claim('cluster', 1, 30_000);
      const row = await database.firstRow(
        'SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() AS is_flushed',
      );
      if (row?.['is_flushed']) onDisk += 1;
    }
    // The server writes now and then by itself; a claim that does not wait is almost never on disk already.
    expect(onDisk).toBeGreaterThan(5);
  });

  it('gives a lease back, whatever time another pass asks for in the same moment', async () => {
    await queue.enqueue('cluster', keys(2));
    const leases = await queue.claim('cluster', 2, 30_000);
    const ends = [Number.NaN, 60_000].map((afterMs, index) =>
      queue.finish(leases[index] as WorkLease, { kind: 'again', afterMs, failed: true }),
    );

    const [refused, ended] = await Promise.allSettled(ends);
    expect(refused).toMatchObject({ status: 'rejected' });
    expect(ended).toMatchObject({ status: 'fulfilled', value: expect.any(Number) });
  });

  it('does not wait for the disk at the end of a pass, and only there', async () => {
    await queue.enqueue('cluster', [demo]);
    const [lease] = await queue.claim('cluster', 1, 30_000);
    await queue.finish(lease as WorkLease, { kind: 'again', afterMs: 0, failed: false });
    expect(await database.firstRow('SHOW synchronous_commit')).toEqual({ synchronous_commit: 'on' });
  });

  it('gives each key to one of many claimers at once, and each claim its own epoch', async () => {
    await queue.enqueue('cluster', keys(400));
    const claimAll = async (): Promise<string[]> => {
      const mine: string[] = [];
      for (let leases = await queue.claim('cluster', 7, 30_000); leases.length > 0;) {
        mine.push(...leases.map((lease) => `${lease.key.name} ${lease.epoch}`));
        leases = await queue.claim('cluster', 7, 30_000);
      }
      return mine;
    };
    const claimed = (await Promise.all(Array.from({ length: 8 }, claimAll))).flat();

    expect(claimed).toHaveLength(400);
    expect(new Set(claimed.map((each) => each.split(' ')[0])).size).toBe(400);
    expect(new Set(claimed.map((each) => each.split(' ')[1])).size).toBe(400);
  });

  it('lets batches of the same keys in any order pass each other', async () => {
    const some = keys(50);
    const batches = Array.from({ length: 20 }, (_, index) => (index % 2 ? some : some.toReversed()));
    await Promise.all(batches.map((batch) => queue.enqueue('cluster', batch)));

    expect(await queue.depth('cluster')).toEqual({ due: 50, leased: 0 });
  });

  it('does not wait for a key that another transaction has locked', async () => {
    await queue.enqueue('cluster', keys(2));
    await database.transaction(async (transaction) => {
      await transaction.execute(`SELECT * FROM work_items WHERE name = 'c0' FOR UPDATE`);
      const leases = await queue.claim('cluster', 2, 30_000);
      expect(leases.map((lease) => lease.key.name)).toEqual(['c1']);
    });
  });

  it('gives other leases back while one of the same moment is locked, and that one when it is free', async () => {
    await queue.enqueue('cluster', keys(3));
    const leases = await queue.claim('cluster', 3, 30_000);
    const ended = new Map<string, number | undefined>();
    const end = async (lease: WorkLease): Promise<void> => {
      const dueInMs = await queue.finish(lease, { kind: 'again', afterMs: 60_000, failed: false });
      ended.set(lease.key.name, dueInMs);
    };
    let all: readonly Promise<void>[] = [];
    await database.transaction(async (transaction) => {
      await transaction.execute(`SELECT * FROM work_items WHERE name = 'c1' FOR UPDATE`);
      all = leases.map(end);
      await eventually(() => ended.size === 2);
      expect([...ended.keys()].sort()).toEqual(['c0', 'c2']);
    });
    await Promise.all(all);
    expect(ended.get('c1')).toBeGreaterThan(50_000);
    expect(await queue.depth('cluster')).toEqual({ due: 0, leased: 0 });
  });

  it('renews together what is still held, each for as long as it asks, and not what another one has taken over', async () => {
    await queue.enqueue('cluster', keys(3));
    const [first, stolen, third] = (await queue.claim('cluster', 3, 30_000)) as [WorkLease, WorkLease, WorkLease];
    await database.execute(`UPDATE work_items SET epoch = epoch + 1000 WHERE name = $1`, [stolen.key.name]);
    const renewed = [queue.renew(first, 60_000), queue.renew(stolen, 60_000), queue.renew(third, 120_000)];

    expect(await Promise.all(renewed)).toEqual([true, false, true]);

    const left = await database.rows<{ s: number }>(
      'SELECT extract(epoch FROM lease_until - now())::float8 AS s FROM work_items ORDER BY lease_until',
    );
    expect(left.map(({ s }) => Math.ceil(s / 30) * 30)).toEqual([30, 60, 120]);
  });

  it('writes nothing when there is nothing to do', async () => {
    await queue.enqueue('cluster', [demo]);
    const [lease] = await queue.claim('cluster', 1, 30_000);
    await queue.finish(lease!, { kind: 'again', afterMs: 1_800_000, failed: false });
    await queue.enqueue('add-on', [demo]);
    const before = await writeFingerprint(database);
    for (let look = 0; look < 10; look++) {
      await queue.claim('cluster', 10, 30_000);
      await queue.nextDueInMs('cluster');
      await queue.depth('cluster');
      await queue.position('add-on', demo);
    }

    expect(await writeFingerprint(database)).toBe(before);
  });
});

describe('enqueue_work', () => {
  const trace = (id: string, span: string): string => `00-${id.repeat(32)}-${span.repeat(16)}-01`;
  const enqueue = (cause: string | undefined): Promise<unknown> =>
    database.execute(`SELECT enqueue_work('cluster', 'team-a', 'demo', $1)`, [cause ?? null]);

  it.each([
    { name: 'no trace', reason: 'nothing is known', causes: [undefined], want: undefined },
    { name: 'a trace', reason: 'it is the cause', causes: [undefined, trace('a', '1')], want: trace('a', '1') },
    { name: 'none after one', reason: 'it says nothing', causes: [trace('a', '1'), undefined], want: trace('a', '1') },
    {
      name: 'another trace',
      reason: 'the newest write is what people wait for',
      causes: [trace('a', '1'), trace('b', '2')],
      want: trace('b', '2'),
    },
    {
      name: 'the same trace again',
      reason: 'a pass that writes its own object is not the parent of the next one',
      causes: [trace('a', '1'), trace('a', '2')],
      want: trace('a', '1'),
    },
  ])('with $name: $reason', async ({ causes, want }) => {
    for (const cause of causes) await enqueue(cause);
    const [lease] = await queue.claim('cluster', 1, 30_000);
    expect(lease?.trace).toBe(want);
  });

  it('does not write a key again that is due already in this trace', async () => {
    const version = (): Promise<unknown> => database.firstRow('SELECT ctid, xmin FROM work_items');
    await enqueue(trace('a', '1'));
    const before = await version();
    await enqueue(trace('a', '2'));
    await enqueue(undefined);
    expect(await version()).toEqual(before);
    await enqueue(trace('b', '1'));
    expect(await version()).not.toEqual(before);
  });

  it('makes the key due when, and only when, its transaction commits', async () => {
    await database.transaction(async (transaction) => {
      await transaction.execute(ENQUEUE_DEMO);
      expect(await queue.claim('cluster', 1, 30_000)).toEqual([]);
    });
    const [lease] = await queue.claim('cluster', 1, 30_000);
    expect(lease?.key).toEqual(demo);

    const rolledBack = database.transaction(async (transaction) => {
      await transaction.execute(ENQUEUE_DEMO);
      throw new Error('Rolled back');
    });
    await expect(rolledBack).rejects.toThrow('Rolled back');
    await queue.finish(lease!, { kind: 'forget' });
    expect(await queue.nextDueInMs('cluster')).toBeUndefined();
  });

  it.each([
    { kind: 'forget' as const },
    { kind: 'again' as const, afterMs: 1_800_000, failed: false },
    { kind: 'release' as const },
  ])('in an open transaction is not lost to a pass that ends with $kind meanwhile', async (result) => {
    await queue.enqueue('cluster', [demo]);
    const [lease] = await queue.claim('cluster', 1, 30_000);
    let finished: Promise<unknown> | undefined;
    await database.transaction(async (transaction) => {
      await transaction.execute(ENQUEUE_DEMO);
      finished = queue.finish(lease!, result);
      // The pass's end must have run into the lock, or this proves nothing.
      await eventually(async () => (await waitingForLocks(database)) > 0);
    });
    await finished;

    expect(await queue.claim('cluster', 1, 30_000)).toHaveLength(1);
  });
});

async function waitingForLocks(of: Database): Promise<number> {
  const row = await of.firstRow<{ count: number }>(
    'SELECT count(*)::int AS count FROM pg_locks AS lock JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()',
  );
  return row?.count ?? 0;
}
