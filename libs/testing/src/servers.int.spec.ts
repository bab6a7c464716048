import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresBinaries, postgresUser } from '@crate/local-servers';
import pg from 'pg';
import { eventually, startNats, startPostgres, type PostgresServer } from './index.js';
import { copyInitialized, type PostgresPrograms } from './postgres-template.js';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function select(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function greeting(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('data', (chunk) => {
      socket.destroy();
      resolve(chunk.toString());
    });
  });
}

describe('startPostgres', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => server.stop());

  it('serves databases that do not see each other', async () => {
    const [one, other] = await Promise.all([server.createDatabase(), server.createDatabase()]);
    await select(one.url, 'CREATE TABLE here (id int)');

    expect(await select(one.url, 'SELECT count(*)::int AS n FROM here')).toEqual([{ n: 0 }]);
    await expect(select(other.url, 'SELECT * FROM here')).rejects.toThrow('does not exist');
  });

  it('makes alike what starts alike, once, and each is a database of its own', async () => {
    let times = 0;
    const withTable = async (url: string): Promise<void> => {
      times += 1;
      await select(url, 'CREATE TABLE made AS SELECT 7 AS id');
    };
    const [one, other] = await Promise.all([server.createDatabase(withTable), server.createDatabase(withTable)]);
    await select(one.url, 'DELETE FROM made');
    const third = await server.createDatabase(withTable);

    expect(times).toBe(1);
    for (const { url } of [other, third]) expect(await select(url, 'SELECT id FROM made')).toEqual([{ id: 7 }]);
    await expect(select((await server.createDatabase()).url, 'SELECT * FROM made')).rejects.toThrow('does not exist');
  });

  it('keeps data, port and password over a kill and a restart', async () => {
    const { url } = await server.createDatabase();
    await select(url, 'CREATE TABLE kept AS SELECT 7 AS id');
    process.kill(server.pid, 'SIGKILL');
    await eventually(() => !isAlive(server.pid));

    await server.restart();

    expect(await select(url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
  });

  it('leaves no process and no file behind', async () => {
    const other = await startPostgres();
    const [{ data_directory: directory }] = (await select(other.url, 'SHOW data_directory')) as [
      { data_directory: string },
    ];
    expect(existsSync(directory)).toBe(true);

    await other.stop();
    await other.stop();

    expect(isAlive(other.pid)).toBe(false);
    expect(existsSync(directory)).toBe(false);
  });
});

describe('what initdb makes', () => {
  let programs: PostgresPrograms;
  let directory: string;
  beforeEach(async () => {
    const user = await postgresUser();
    directory = await mkdtemp(join(tmpdir(), 'crate-template-'));
    await chmod(directory, 0o777);
    programs = { user, binaries: await postgresBinaries(user), templates: directory };
  });
  afterEach(async () => rm(directory, { recursive: true }));

  it('is made once, whole, by whoever is the first of many', async () => {
    const copies = ['a', 'b', 'c'].map((name) => join(directory, name));
    const passwords = await Promise.all(copies.map((copy) => copyInitialized(programs, copy)));

    expect(passwords).toEqual(passwords.map(() => expect.stringMatching(/^[0-9a-f]{24}$/)));
    expect(new Set(passwords).size).toBe(1);
    for (const copy of copies) expect(existsSync(join(copy, 'PG_VERSION'))).toBe(true);
    expect((await readdir(directory)).filter((name) => name.startsWith('crate-'))).toHaveLength(1);
  });

  it('is not taken from a place where somebody else put it', async () => {
    await copyInitialized(programs, join(directory, 'a'));
    const [template = ''] = (await readdir(directory)).filter((name) => name.startsWith('crate-'));
    await rename(join(directory, template), join(directory, 'elsewhere'));
    await symlink(join(directory, 'elsewhere'), join(directory, template));

    await expect(copyInitialized(programs, join(directory, 'b'))).rejects.toThrow('belongs to somebody else');
  });
});

describe('startNats', () => {
  it('starts a real server with JetStream off, and again on the same port', async () => {
    const server = await startNats({ config: 'max_payload: 4096' });
    expect(await greeting(server.port)).toContain('"max_payload":4096');
    expect(await greeting(server.port)).not.toContain('"jetstream":true');

    process.kill(server.pid, 'SIGKILL');
    await server.restart();
    expect(await greeting(server.port)).toContain('INFO');

    const { pid } = server;
    await server.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('offers JetStream when asked', async () => {
    const server = await startNats({ jetStream: true });
    expect(await greeting(server.port)).toContain('"jetstream":true');
    await server.stop();
  });

  it('says what the server said when it does not start', async () => {
    await expect(startNats({ config: 'no such setting' })).rejects.toThrow('Parse error');
  });
});
