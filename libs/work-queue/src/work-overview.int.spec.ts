import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '@crate/database';
import type { WorkLease } from '@crate/reconcile';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { PostgresWorkQueue, WorkOverview } from './index.js';
import { createTestDatabase, writeFingerprint } from './test-database.js';

let server: PostgresServer;
let database: Database;
let queue: PostgresWorkQueue;
let overview: WorkOverview;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  database = await createTestDatabase(server);
  queue = new PostgresWorkQueue({ database, holder: 'cloud-mgmt@host:7' });
  overview = new WorkOverview(database);
});
afterEach(() => database.close());

const key = (name: string): { readonly namespace: string; readonly name: string } => ({ namespace: 'team-a', name });

async function claimOne(reconciler = 'cluster'): Promise<WorkLease> {
  const [lease] = await queue.claim(reconciler, 1, 30_000);
  return lease as WorkLease;
}

describe('the tally', () => {
  it('counts what is due, in work, put off and failing, by reconciler', async () => {
    await queue.enqueue('cluster', [key('failed')]);
    await queue.finish(await claimOne(), { kind: 'again', afterMs: 60_000, failed: true });
    await queue.enqueue('cluster', [key('held')]);
    await claimOne();
    await queue.enqueue('cluster', [key('waits')]);
    await queue.enqueue('cluster', [key('later')], 60_000);
    await queue.enqueue('plan', [key('later')], 60_000);
    await database.execute(`UPDATE work_items SET due_at = due_at - interval '90 s' WHERE name = 'waits'`);

    const found = await overview.tally();
    expect(found.get('cluster')).toMatchObject({ depth: 4, due: 1, inWork: 1, retrying: 1, mostAttempts: 1 });
    expect(found.get('cluster')?.oldestWaitMs).toBeGreaterThanOrEqual(90_000);
    expect(found.get('plan')).toMatchObject({ depth: 1, due: 0, oldestWaitMs: 0, inWork: 0 });
  });

  it('writes nothing', async () => {
    await queue.enqueue('cluster', [key('demo')]);
    const before = await writeFingerprint(database);
    await overview.tally();
    await overview.leases(10);
    expect(await writeFingerprint(database)).toBe(before);
  });
});

describe('leases', () => {
  it('say who holds what since when, the oldest first, and how many there are', async () => {
    for (const name of ['first', 'second']) {
      await queue.enqueue('cluster', [key(name)]);
      await claimOne();
    }
    const { held, total } = await overview.leases(1);
    expect([held.length, total]).toEqual([1, 2]);
    expect(held[0]).toMatchObject({ key: key('first'), holder: 'cloud-mgmt@host:7', isCurrent: true });
    expect(held[0]?.until.getTime()).toBeGreaterThan(held[0]?.since?.getTime() ?? Infinity);
  });

  it('are those of whoever claimed last, under the newest epoch', async () => {
    await queue.enqueue('cluster', [key('demo')]);
    const lost = await claimOne();
    await database.execute(`UPDATE work_items SET lease_until = now() - interval '1 s'`);
    expect((await overview.leases(1)).held[0]).toMatchObject({ epoch: lost.epoch, isCurrent: false });

    const other = new PostgresWorkQueue({ database, holder: 'cloud-mgmt@other:8' });
    const [taken] = await other.claim('cluster', 1, 30_000);
    expect((await overview.leases(1)).held).toMatchObject([{ epoch: taken?.epoch, holder: 'cloud-mgmt@other:8' }]);
    expect(taken?.epoch).toBeGreaterThan(lost.epoch);
  });

  it('are none once given back', async () => {
    await queue.enqueue('cluster', [key('demo')]);
    await queue.finish(await claimOne(), { kind: 'again', afterMs: 0, failed: false });
    expect(await overview.leases(10)).toEqual({ held: [], total: 0 });
  });
});
