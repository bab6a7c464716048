import { afterAll, beforeAll } from '@jest/globals';
import { Database, migrate } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { PostgresResourceStore, resourceStoreMigrations } from '../index.js';
import { describeResourceStore } from '../resource-store.contract.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server.stop());

const withTables = (url: string): Promise<unknown> =>
  migrate({ url, schema: 'test', directories: [resourceStoreMigrations] });

describeResourceStore('PostgresResourceStore', async (settings) => {
  const { url, drop } = await server.createDatabase(withTables);
  const database = new Database({ url, schema: 'test' });
  let store = new PostgresResourceStore({ database, ...settings });
  return {
    store,
    async reopen() {
      await store.close();
      return (store = new PostgresResourceStore({ database, ...settings }));
    },
    async close() {
      await store.close();
      await database.close();
      await drop();
    },
  };
});
