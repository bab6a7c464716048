import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { Database, migrate } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { CLUSTER_MGMT_MIGRATIONS } from '../migrations.js';
import { engineRunContract } from './engine-run.contract.js';
import { PrismaEngineRunRepository } from './prisma-engine-run.repository.js';

let server: PostgresServer;
const opened: Database[] = [];
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server.stop());
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});

engineRunContract('PrismaEngineRunRepository', async () => {
  const { url } = await server.createDatabase();
  await migrate({ url, schema: 'cluster_mgmt', directories: CLUSTER_MGMT_MIGRATIONS });
  const database = new Database({ url, schema: 'cluster_mgmt' });
  opened.push(database);
  return new PrismaEngineRunRepository(database);
});
