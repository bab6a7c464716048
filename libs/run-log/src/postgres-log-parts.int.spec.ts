import { afterAll, beforeAll } from '@jest/globals';
import { Database, migrate } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { RUN_LOG_MIGRATIONS } from './migrations.js';
import { PostgresLogParts } from './postgres-log-parts.js';
import { logPartsContract } from './testing/log-parts.contract.js';

let postgres: PostgresServer;
let database: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  const { url } = await postgres.createDatabase();
  await migrate({ url, schema: 'logs', directories: [RUN_LOG_MIGRATIONS] });
  database = new Database({ url, schema: 'logs' });
});
afterAll(async () => {
  await database.close();
  await postgres.stop();
});

logPartsContract('PostgresLogParts', () => new PostgresLogParts(database));
