import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startPostgres } from '@crate/testing';
import pg from 'pg';
import { PostgresProxy, type Commit } from './postgres-proxy.js';

let server: Awaited<ReturnType<typeof startPostgres>>;
let proxy: PostgresProxy;
let client: pg.Client;
let direct: pg.Client;

beforeAll(async () => {
  server = await startPostgres();
  proxy = await PostgresProxy.start(Number(new URL(server.url).port));
  direct = new pg.Client({ connectionString: server.url });
  await direct.connect();
  await direct.query('CREATE TABLE things (name text)');
});
afterAll(async () => {
  await direct?.end();
  await proxy?.close();
  await server?.stop();
});
beforeEach(async () => {
  await direct.query('DELETE FROM things');
  const url = new URL(server.url);
  url.port = String(proxy.port);
  client = new pg.Client({ connectionString: url.href });
  client.on('error', () => undefined);
  await client.connect();
});
afterEach(async () => {
  proxy.hooks = {};
  await client.end().catch(() => undefined);
});

const names = async (): Promise<unknown[]> =>
  (await direct.query<{ name: string }>('SELECT name FROM things')).rows.map(({ name }) => name);
const insert = (name: string): Promise<unknown> => client.query('INSERT INTO things (name) VALUES ($1)', [name]);

describe('a proxy before Postgres', () => {
  it('names what is committed: single statements, transactions, and not what is rolled back or read', async () => {
    const seen: Commit[] = [];
    proxy.hooks = { before: (commit) => void seen.push(commit) };
    await insert('a');
    await client.query('BEGIN');
    await insert('b');
    await client.query('UPDATE things SET name = $1', ['c']);
    await client.query('COMMIT');
    await client.query('BEGIN');
    await insert('d');
    await client.query('ROLLBACK');
    await client.query('SELECT * FROM things');
    expect(seen).toEqual([
      { user: 'postgres', label: 'INSERT things' },
      { user: 'postgres', label: 'INSERT things + UPDATE things' },
    ]);
  });

  it('knows what a prepared statement does', async () => {
    const seen: string[] = [];
    proxy.hooks = { before: ({ label }) => void seen.push(label) };
    for (const name of ['a', 'b'])
      await client.query({ name: 'put', text: 'INSERT INTO things VALUES ($1)', values: [name] });
    expect(seen).toEqual(['INSERT things', 'INSERT things']);
  });

  it('holds a request before it is done', async () => {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const reached = new Promise<void>((resolve) => {
      proxy.hooks = {
        before: () => {
          resolve();
          return held;
        },
      };
    });
    const writing = insert('held');
    await reached;
    // Time for what is not held to be done.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await names()).toEqual([]);
    letGo();
    await writing;
    expect(await names()).toEqual(['held']);
  });

  it('loses the answer to what is done', async () => {
    proxy.hooks = { executed: () => 'cut' };
    await expect(insert('lost')).rejects.toThrow();
    expect(await names()).toEqual(['lost']);
  });

  it('passes large values on whole', async () => {
    const large = 'x'.repeat(3_000_000);
    await insert(large);
    const { rows } = await client.query<{ name: string }>('SELECT name FROM things');
    expect(rows[0]?.name).toBe(large);
  });

  it('breaks every connection', async () => {
    proxy.cutAll();
    await expect(insert('late')).rejects.toThrow();
  });
});
