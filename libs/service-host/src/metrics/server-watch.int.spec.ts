import { Database } from '@crate/database';
import { eventually, startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ServerWatch } from './server-watch.js';

const opened: Database[] = [];
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  const owner = open(server.url);
  // As services sign in: with no rights but on their own schemas.
  for (const role of ['own', 'other']) await owner.rowsOnce(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  await owner.close();
});
afterAll(async () => server.stop());
afterEach(async () => void (await Promise.all(opened.splice(0).map((database) => database.close()))));

function open(url: string): Database {
  const database = new Database({ url, schema: 'public', maxConnections: 3 });
  opened.push(database);
  return database;
}

const as = (username: string): Database =>
  open(Object.assign(new URL(server.url), { username, password: 'secret' }).href);

const oldest = async (watch: ServerWatch): Promise<number> => (await watch.look()).oldest_s;

describe('a look at the database server', () => {
  it('counts the connections of everybody, and no process of the server itself', async () => {
    const [watch, other] = [new ServerWatch(as('own')), as('other')];
    await Promise.all([1, 2, 3].map(() => other.rowsOnce('SELECT pg_sleep(0.1)')));
    await eventually(async () =>
      expect(await watch.look()).toMatchObject({ active: 1, idle: 0, in_transaction: 0, other: 3 }),
    );
  });

  it('knows of transactions of others since when it has seen them open', async () => {
    let now = 1_000;
    const [watch, other] = [new ServerWatch(as('own'), () => now), as('other')];
    await other.transaction(async (transaction) => {
      await transaction.execute('SELECT 1');
      expect(await oldest(watch)).toBe(0);
      now += 400_000;
      expect(await oldest(watch)).toBe(400);
    });
    now += 1_000;
    expect(await oldest(watch)).toBe(0);
    await other.transaction(async (transaction) => {
      await transaction.execute('SELECT 1');
      now += 1_000;
      expect(await oldest(watch)).toBe(0);
    });
  });

  it('is told how old its own are', async () => {
    const own = as('own');
    const watch = new ServerWatch(own);
    await own.transaction(async (transaction) => {
      await transaction.execute('SELECT 1');
      expect(await oldest(watch)).toBeGreaterThan(0);
    });
  });
});
