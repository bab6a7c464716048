import { Database, migrate } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
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

terraformRunContract('PrismaTerraformRunRepository', async () => {
  const { url } = await server.createDatabase();
  await migrate({ url, schema: 'cloud_mgmt', directories });
  const database = new Database({ url, schema: 'cloud_mgmt', maxConnections: 3 });
  opened.push(database);
  return new PrismaTerraformRunRepository(database);
});
