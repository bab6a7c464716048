import { Database, migrate } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { PostgresStateLocks } from '../terraform-state/postgres-state-locks.js';
import { stateLocksContract } from '../testing/state-locks.contract.js';
import { terraformRunContract } from '../testing/terraform-run.contract.js';
import { CLOUD_MGMT_MIGRATIONS } from '../migrations.js';
import { PrismaTerraformRunRepository } from './prisma-terraform-run.repository.js';

const directories = CLOUD_MGMT_MIGRATIONS;
let server: PostgresServer;
const opened: Database[] = [];

beforeAll(async () => {
  server = await startPostgres();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});
afterAll(async () => server.stop());

async function aDatabase(): Promise<Database> {
  const { url } = await server.createDatabase();
  await migrate({ url, schema: 'cloud_mgmt', directories });
  const database = new Database({ url, schema: 'cloud_mgmt', maxConnections: 3 });
  opened.push(database);
  return database;
}

terraformRunContract('PrismaTerraformRunRepository', async () => new PrismaTerraformRunRepository(await aDatabase()));
stateLocksContract('PostgresStateLocks', async () => {
  const database = await aDatabase();
  return { locks: new PostgresStateLocks(database), runs: new PrismaTerraformRunRepository(database) };
});
