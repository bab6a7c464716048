import { randomUUID } from 'node:crypto';
import { Database, migrate } from '@crate/database';
import { shiftClock, startPostgres, type PostgresServer } from '@crate/testing';
import { nextEpoch, WORK_QUEUE_MIGRATIONS } from '@crate/work-queue';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresStateLocks } from '../terraform-state/postgres-state-locks.js';
import { stateLocksContract } from '../testing/state-locks.contract.js';
import { terraformRunContract } from '../testing/terraform-run.contract.js';
import { CLOUD_MGMT_MIGRATIONS } from '../migrations.js';
import { PrismaTerraformRunRepository } from './prisma-terraform-run.repository.js';

const directories = [WORK_QUEUE_MIGRATIONS, ...CLOUD_MGMT_MIGRATIONS];
let server: PostgresServer;
const opened: Database[] = [];

beforeAll(async () => {
  server = await startPostgres();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});
afterAll(async () => server.stop());

async function migrated(): Promise<string> {
  const { url } = await server.createDatabase();
  await migrate({ url, schema: 'cloud_mgmt', directories });
  return url;
}

function open(
  url: string,
  options: { readonly statementTimeoutMs?: number; readonly maxConnections?: number } = {},
): Database {
  const database = new Database({ url, schema: 'cloud_mgmt', maxConnections: 3, ...options });
  opened.push(database);
  return database;
}

const aDatabase = async (): Promise<Database> => open(await migrated());

terraformRunContract('PrismaTerraformRunRepository', async () => new PrismaTerraformRunRepository(await aDatabase()));
stateLocksContract('PostgresStateLocks', async () => {
  const database = await aDatabase();
  // Epochs of its runs have been given out.
  await database.rows(`SELECT setval('work_epochs', 1000)`);
  return { locks: new PostgresStateLocks(database), runs: new PrismaTerraformRunRepository(database) };
});

describe('work in quiet whose turn the database has ended', () => {
  it('is told so, and has an epoch below that of the pass that began meanwhile', async () => {
    const database = await aDatabase();
    const [locks, runs] = [new PostgresStateLocks(database), new PrismaTerraformRunRepository(database)];
    const before = await nextEpoch(database);
    const END = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()`;
    const epochs: bigint[] = [];
    const work = async (epoch: bigint): Promise<void> => {
      await database.rows(END);
      const after = await nextEpoch(database);
      await runs.open({ id: randomUUID(), infrastructureUid: 'u1', kind: 'apply', epoch: after, generation: 1 });
      epochs.push(before, epoch, after);
    };

    await expect(locks.whileQuiet('u1', {}, work)).rejects.toMatchObject({ code: 'Unavailable' });
    expect(epochs).toEqual([before, before + 1n, before + 2n]);
  });
});

describe('runs of a host whose clock is ten minutes ahead', () => {
  const lookMs = 30_000;
  let putRight = (): void => undefined;
  afterEach(() => putRight());

  it('are dated by the database, so that no other host takes them for dead or overlapping', async () => {
    const runs = new PrismaTerraformRunRepository(await aDatabase());
    const before = Date.now();
    const run = { id: randomUUID(), infrastructureUid: 'u1', kind: 'apply', epoch: 1n, generation: 1 } as const;
    putRight = shiftClock(600_000);
    await runs.open(run);
    await runs.heartbeat(run.id);
    const [open] = await runs.listOpen('u1');
    const now = await runs.now();
    await runs.close(run.id, 'succeeded');
    await runs.recordEdit('u1', 2n);
    const times = (await runs.list('u1')).flatMap(({ startedAt, endedAt }) => [startedAt, endedAt!]);

    for (const time of [open!.heartbeatAt, now, ...times]) expect(time.getTime() - before).toBeLessThan(lookMs);
  });
});

describe('trouble with the database', () => {
  it('is told as such by what goes through Prisma', async () => {
    const url = await migrated();
    const hasty = open(url, { statementTimeoutMs: 500 });
    const runs = new PrismaTerraformRunRepository(hasty);
    const run = { id: randomUUID(), infrastructureUid: 'u1', kind: 'apply', epoch: 1n, generation: 1 } as const;
    await open(url).transaction(async (transaction) => {
      await transaction.rowsOnce('LOCK TABLE terraform_runs');
      await expect(runs.list('u1')).rejects.toMatchObject({ code: 'Timeout' });
      await expect(runs.heartbeat(run.id)).rejects.toMatchObject({ code: 'Timeout' });
      await expect(runs.open(run)).rejects.toMatchObject({ code: 'Timeout' });
    });
    await hasty.close();
    await expect(runs.list('u1')).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(runs.open(run)).rejects.toMatchObject({ code: 'Unavailable' });
  });
});

describe('a table of locks that a newer release has added to', () => {
  it('is read on connections that have read it before', async () => {
    const url = await migrated();
    const locks = new PostgresStateLocks(open(url, { maxConnections: 1 }));
    const lock = { infrastructureUid: 'u1', id: 'l1', holder: 'ada', operation: 'apply', info: '{}' };
    await locks.acquire(lock);
    await locks.list(1);
    await open(url).rowsOnce('ALTER TABLE terraform_state_locks ADD COLUMN note text');

    await locks.acquire(lock);
    expect(await locks.list(1)).toMatchObject([{ id: 'l1' }]);
  });
});
