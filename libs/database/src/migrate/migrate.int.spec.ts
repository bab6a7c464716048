import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../index.js';

let server: PostgresServer;
let url: string;
let root: string;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server.stop());

beforeEach(async () => {
  ({ url } = await server.createDatabase());
  root = await mkdtemp(join(tmpdir(), 'crate-migrations-'));
});
afterEach(async () => rm(root, { recursive: true }));

/** Writes migrations below `root/<directory>` and gives that directory. */
async function given(directory: string, files: Record<string, string>): Promise<string> {
  for (const [name, sql] of Object.entries(files)) {
    await mkdir(join(root, directory, name), { recursive: true });
    await writeFile(join(root, directory, name, 'migration.sql'), sql);
  }
  return join(root, directory);
}

async function select(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Until a statement waits for a lock that another transaction holds. */
async function isWaited(): Promise<void> {
  const waiting = `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'relation'`;
  while ((await select(waiting)).length === 0) await delay(50);
}

const run = (...directories: string[]): Promise<readonly string[]> =>
  migrate({ url, schema: 'lifecycle', directories });

describe('migrate', () => {
  it('applies directories in the order given and records what Prisma would', async () => {
    const store = await given('store', {
      '20260201_grow': 'ALTER TABLE a ADD m int',
      '20260101_a': 'CREATE TABLE a (n int)',
    });
    const service = await given('service', {
      '20250101_view': 'CREATE VIEW b AS SELECT m FROM a; COMMENT ON VIEW b IS $$x$$',
    });
    await writeFile(join(service, 'migration_lock.toml'), 'provider = "postgresql"');

    expect(await run(store, service)).toEqual(['20260101_a', '20260201_grow', '20250101_view']);

    const rows = await select('SELECT * FROM lifecycle._prisma_migrations ORDER BY started_at');
    expect(rows[0]).toMatchObject({
      migration_name: '20260101_a',
      checksum: createHash('sha256').update('CREATE TABLE a (n int)').digest('hex'),
      finished_at: expect.any(Date),
      rolled_back_at: null,
      applied_steps_count: 1,
    });
    expect(await select('SELECT * FROM lifecycle.b')).toEqual([]);
  });

  it('does nothing the second time, and later only what is new', async () => {
    const store = await given('store', { '1_a': 'CREATE TABLE a (n int)' });
    await run(store);
    expect(await run(store)).toEqual([]);

    await given('store', { '2_b': 'CREATE TABLE b (n int)' });
    expect(await run(store)).toEqual(['2_b']);
  });

  it('lets one of many replicas apply each migration', async () => {
    const store = await given('store', {
      '1_a': 'CREATE TABLE a (n int); SELECT pg_sleep(0.2)',
      '2_b': 'INSERT INTO a VALUES (1)',
    });

    const applied = await Promise.all(Array.from({ length: 8 }, () => run(store)));

    expect(applied.flat()).toEqual(['1_a', '2_b']);
    expect(await select('SELECT count(*)::int AS n FROM lifecycle.a')).toEqual([{ n: 1 }]);
  });

  it('refuses an applied file that was changed, naming it', async () => {
    const store = await given('store', { '1_a': 'CREATE TABLE a (n int)' });
    await run(store);
    await given('store', { '1_a': 'CREATE TABLE a (n bigint)', '2_b': 'CREATE TABLE b (n int)' });

    await expect(run(store)).rejects.toMatchObject({ code: 'Invariant', message: expect.stringContaining('1_a') });
    expect(await select(`SELECT to_regclass('lifecycle.b') AS b`)).toEqual([{ b: null }]);
  });

  it('undoes a file that fails half way, records why, and tries it again', async () => {
    const store = await given('store', { '1_a': 'CREATE TABLE a (n int); INSERT INTO missing VALUES (1)' });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(run(store)).rejects.toMatchObject({
        code: 'Invariant',
        message: expect.stringContaining('missing'),
      });
    }
    expect(await select(`SELECT to_regclass('lifecycle.a') AS a`)).toEqual([{ a: null }]);
    expect(await select('SELECT logs, rolled_back_at FROM lifecycle._prisma_migrations')).toEqual([
      { logs: expect.stringContaining('"missing" does not exist'), rolled_back_at: expect.any(Date) },
    ]);

    await given('store', { '1_a': 'CREATE TABLE a (n int)' });
    expect(await run(store)).toEqual(['1_a']);
  });

  it('accepts migrations of a newer release that it has no file of', async () => {
    const newer = await given('newer', { '1_a': 'CREATE TABLE a (n int)', '2_b': 'CREATE TABLE b (n int)' });
    const older = await given('older', { '1_a': 'CREATE TABLE a (n int)' });
    await run(newer);

    expect(await run(older)).toEqual([]);
  });

  it('keeps the schemas of services apart', async () => {
    const store = await given('store', { '1_a': 'CREATE TABLE a (n int)' });
    await run(store);

    expect(await migrate({ url, schema: 'cloud_mgmt', directories: [store] })).toEqual(['1_a']);
  });

  it('refuses two migrations of one name', async () => {
    const one = await given('one', { '1_a': 'SELECT 1' });
    const other = await given('other', { '1_a': 'SELECT 2' });

    await expect(run(one, other)).rejects.toMatchObject({ code: 'Invariant', message: expect.stringContaining('1_a') });
  });

  it('gives up with Unavailable while somebody else holds the lock', async () => {
    const store = await given('store', { '1_a': 'SELECT 1' });
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(72707369)');

    const attempt = migrate({ url, schema: 'lifecycle', directories: [store], lockTimeoutMs: 20 });
    await expect(attempt).rejects.toMatchObject({ code: 'Unavailable' });

    await holder.end();
    expect(await run(store)).toEqual(['1_a']);
  });

  it('lets others write while a long transaction holds what a file changes, and goes on after it', async () => {
    const store = await given('store', { '1_t': 'CREATE TABLE t (n int)' });
    await run(store);
    await given('store', { '2_grow': 'ALTER TABLE t ADD m int' });
    const backup = new pg.Client({ connectionString: url });
    await backup.connect();
    await backup.query('BEGIN; SELECT FROM lifecycle.t');

    const locked: string[] = [];
    const onLocked = (name: string): unknown => locked.push(name);
    const attempt = migrate({ url, schema: 'lifecycle', directories: [store], onLocked });
    await isWaited();
    await select(`SET statement_timeout = '60s'; INSERT INTO lifecycle.t VALUES (1)`);
    await backup.end();

    expect(await attempt).toEqual(['2_grow']);
    expect(locked).toContain('2_grow');
    expect(await select('SELECT n, m FROM lifecycle.t')).toEqual([{ n: 1, m: null }]);
    expect(await select('SELECT FROM lifecycle._prisma_migrations WHERE rolled_back_at IS NOT NULL')).toEqual([]);
  });

  const deadlock = `RAISE EXCEPTION 'deadlock detected' USING ERRCODE = 'deadlock_detected'`;

  it('goes on after a deadlock with a transaction that locked what a file changes in another order', async () => {
    const store = await given('store', { '1_tries': 'CREATE SEQUENCE tries' });
    await run(store);
    // What a sequence gave out stays given out when the transaction is undone.
    await given('store', { '2_grow': `DO $$ BEGIN IF nextval('tries') = 1 THEN ${deadlock}; END IF; END $$` });
    const onLocked = jest.fn();
    expect(await migrate({ url, schema: 'lifecycle', directories: [store], onLocked })).toEqual(['2_grow']);
    expect(onLocked.mock.calls).toEqual([['2_grow', expect.stringMatching(/in another order/)]]);
    expect(await select('SELECT FROM lifecycle._prisma_migrations WHERE rolled_back_at IS NOT NULL')).toEqual([]);
  });

  it('blames no long transaction for a deadlock that comes again and again', async () => {
    const store = await given('store', { '1_grow': `DO $$ BEGIN ${deadlock}; END $$` });
    const attempt = migrate({ url, schema: 'lifecycle', directories: [store], lockTimeoutMs: 20 });
    await expect(attempt).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'Migration 1_grow gets no lock: another transaction locks what it changes in another order',
    });
  });

  it('gives up with Unavailable when a transaction stays open, and records no failure', async () => {
    const store = await given('store', { '1_t': 'CREATE TABLE t (n int)' });
    await run(store);
    await given('store', { '2_grow': 'ALTER TABLE t ADD m int' });
    const backup = new pg.Client({ connectionString: url });
    await backup.connect();
    await backup.query('BEGIN; SELECT FROM lifecycle.t');

    const attempt = migrate({ url, schema: 'lifecycle', directories: [store], lockTimeoutMs: 20 });
    await expect(attempt).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(/2_grow.*open for too long/),
    });

    await backup.end();
    expect(await select('SELECT FROM lifecycle._prisma_migrations WHERE rolled_back_at IS NOT NULL')).toEqual([]);
  });

  it('says Unavailable when the server does not answer', async () => {
    const away = new URL(url);
    away.port = '1';
    await expect(migrate({ url: away.href, schema: 'lifecycle', directories: [] })).rejects.toMatchObject({
      code: 'Unavailable',
    });
  });
});
