import { Database, migrate } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { CLOUD_MGMT_MIGRATIONS } from '../migrations.js';
import { driftRecordContract } from './drift-record.contract.js';
import { PostgresDriftRecordRepository } from './postgres-drift-record.repository.js';

let server: PostgresServer;
const opened: Database[] = [];

beforeAll(async () => {
  server = await startPostgres();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});
afterAll(async () => server.stop());

driftRecordContract('PostgresDriftRecordRepository', async () => {
  const { url } = await server.createDatabase();
  await migrate({ url, schema: 'cloud_mgmt', directories: CLOUD_MGMT_MIGRATIONS });
  const database = new Database({ url, schema: 'cloud_mgmt', maxConnections: 2 });
  opened.push(database);
  return new PostgresDriftRecordRepository(database);
});
