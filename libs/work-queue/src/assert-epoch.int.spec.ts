import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '@crate/database';
import type { ReconcileKey, WorkLease } from '@crate/reconcile';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { assertEpoch, PostgresWorkQueue } from './index.js';
import { createTestDatabase } from './test-database.js';

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
  await database.execute('CREATE TABLE states (content text)');
});
afterEach(() => database.close());

const demo: ReconcileKey = { namespace: 'team-a', name: 'demo' };

async function claim(leaseMs = 30_000): Promise<WorkLease> {
  await queue.enqueue('infrastructure', [demo]);
  const [lease] = await queue.claim('infrastructure', 1, leaseMs);
  return lease!;
}

function write(content: string, lease: WorkLease): Promise<void> {
  return database.transaction(async (transaction) => {
    await transaction.execute('INSERT INTO states VALUES ($1)', [content]);
    await assertEpoch(transaction, lease);
  });
}

async function written(): Promise<string[]> {
  return (await database.rows<{ content: string }>('SELECT content FROM states')).map((row) => row.content);
}

describe('assertEpoch', () => {
  it('lets the holder write', async () => {
    await write('mine', await claim());

    expect(await written()).toEqual(['mine']);
  });

  it('lets a holder write whose lease ended but was not taken', async () => {
    await write('late', await claim(0));

    expect(await written()).toEqual(['late']);
  });

  it.each([
    { name: 'another claim took over', lose: async () => void (await claim()) },
    {
      name: 'the key was forgotten and claimed anew',
      lose: async () => {
        const next = await claim();
        await queue.finish(next, { kind: 'forget' });
        await claim();
      },
    },
  ])('refuses and rolls back what a former holder writes after $name', async ({ lose }) => {
    const former = await claim(0);
    await lose();

    await expect(write('stale', former)).rejects.toMatchObject({ code: 'Conflict' });
    expect(await written()).toEqual([]);
  });

  it.each([{ kind: 'forget' as const }, { kind: 'release' as const }])(
    'refuses a write after the lease was given back with $kind',
    async (result) => {
      const lease = await claim();
      await queue.finish(lease, result);

      await expect(write('stale', lease)).rejects.toMatchObject({ code: 'Conflict' });
    },
  );

  it('keeps the next pass from beginning until the write is visible', async () => {
    const former = await claim(0);
    await database.transaction(async (transaction) => {
      await transaction.execute('INSERT INTO states VALUES ($1)', ['mine']);
      await assertEpoch(transaction, former);
      expect(await queue.claim('infrastructure', 1, 30_000)).toEqual([]);
    });

    expect(await queue.claim('infrastructure', 1, 30_000)).toHaveLength(1);
    expect(await written()).toEqual(['mine']);
  });

  it('allows the holder to enqueue its own key in the same transaction', async () => {
    const lease = await claim();
    const both = Array.from({ length: 2 }, () =>
      database.transaction(async (transaction) => {
        await transaction.execute('SELECT enqueue_work($1, $2, $3)', ['infrastructure', demo.namespace, demo.name]);
        await assertEpoch(transaction, lease);
      }),
    );
    await Promise.all(both);
    await queue.finish(lease, { kind: 'again', afterMs: 1_800_000, failed: false });

    expect(await queue.nextDueInMs('infrastructure')).toBe(0);
  });
});
