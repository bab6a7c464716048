import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, migrate } from '@crate/database';
import { shiftClock, startPostgres, type PostgresServer } from '@crate/testing';
import { nextEpoch, WORK_QUEUE_MIGRATIONS } from '@crate/work-queue';
import { CLUSTER_MGMT_MIGRATIONS } from '../migrations.js';
import { engineRunContract } from './engine-run.contract.js';
import { PrismaEngineRunRepository } from './prisma-engine-run.repository.js';

let server: PostgresServer;
const opened: Database[] = [];
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});

async function aDatabase(options: { readonly maxConnections?: number } = {}): Promise<Database> {
  const { url } = await server.createDatabase();
  await migrate({ url, schema: 'cluster_mgmt', directories: [WORK_QUEUE_MIGRATIONS, ...CLUSTER_MGMT_MIGRATIONS] });
  const database = new Database({ url, schema: 'cluster_mgmt', ...options });
  opened.push(database);
  // Epochs of the runs here have been given out.
  await database.rows(`SELECT setval('work_epochs', 1000)`);
  return database;
}

const aRepository = async (): Promise<PrismaEngineRunRepository> => new PrismaEngineRunRepository(await aDatabase());

engineRunContract('PrismaEngineRunRepository', aRepository);

it('says that all connections are in use where that keeps it waiting, also of transactions', async () => {
  const database = await aDatabase({ maxConnections: 1 });
  const runs = new PrismaEngineRunRepository(database);
  const run = { id: randomUUID(), clusterUid: 'u1', kind: 'up', configHash: 'h', epoch: 1n, workspace: '/w' } as const;
  await database.transaction(async () => {
    for (const each of await Promise.allSettled([runs.list('u1'), runs.open(run)]))
      expect(each).toMatchObject({ status: 'rejected', reason: { details: { reason: 'ConnectionsInUse' } } });
  });
});

it('gives what a person does an epoch between those of passes before and after it', async () => {
  const database = await aDatabase();
  const before = await nextEpoch(database);
  const epoch = await new PrismaEngineRunRepository(database).edit(
    'u1',
    () => Promise.resolve(),
    async (given) => given,
  );

  expect([epoch, await nextEpoch(database)]).toEqual([before + 1n, before + 2n]);
});

describe('engine runs of a host whose clock is ten minutes ahead', () => {
  const lookMs = 30_000;
  let putRight = (): void => undefined;
  afterEach(() => putRight());

  it('are dated by the database, so that they do not seem to overlap with those of other hosts', async () => {
    const runs = await aRepository();
    const before = Date.now();
    putRight = shiftClock(600_000);
    const run = {
      id: randomUUID(),
      clusterUid: 'u1',
      kind: 'up',
      configHash: 'h',
      epoch: 1n,
      workspace: '/w',
    } as const;
    await runs.open(run);
    await runs.close(run.id, 'succeeded');
    await runs.edit(
      'u1',
      () => Promise.resolve(),
      () => Promise.resolve(),
    );
    const times = (await runs.list('u1')).flatMap(({ startedAt, endedAt }) => [startedAt, endedAt!]);

    expect(times).toHaveLength(4);
    for (const time of times) expect(time.getTime() - before).toBeLessThan(lookMs);
  });
});
