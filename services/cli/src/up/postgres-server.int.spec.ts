import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GuardedProcess } from '@crate/local-servers';
import { freePort } from '@crate/testing';
import { Database } from '@crate/database';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from './data-dir.js';
import { preparePostgres, type LocalPostgres } from './postgres-server.js';
import { ensureServiceDatabases } from './service-databases.js';

/** SQLSTATE insufficient_privilege. */
const PERMISSION_DENIED = '42501';

let dir: DataDir;
let server: GuardedProcess | undefined;
const opened: Database[] = [];
const { signal } = new AbortController();
beforeEach(async () => {
  dir = await temporaryDataDir();
  await dir.prepare();
});
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await server?.stop();
  await removeDataDir(dir);
});

async function start(): Promise<LocalPostgres> {
  const postgres = await preparePostgres(dir, await freePort());
  server = await GuardedProcess.start(postgres.program);
  return postgres;
}

function open(url: string | undefined, schema: string): Database {
  const database = new Database({ url: url ?? '', schema, maxConnections: 1 });
  opened.push(database);
  return database;
}

async function databases({ url: ownerUrl }: LocalPostgres): Promise<ReadonlyMap<string, string>> {
  return ensureServiceDatabases({ dir, ownerUrl, services: ['lifecycle', 'cloud-mgmt'], signal });
}

describe('the databases of services', () => {
  it('belong to a role each, which sees nothing of the others', async () => {
    const urls = await databases(await start());
    const lifecycle = open(urls.get('lifecycle'), 'lifecycle');
    const cloud = open(urls.get('cloud-mgmt'), 'cloud_mgmt');
    await lifecycle.execute('CREATE TABLE things AS SELECT 7 AS id');

    expect(await lifecycle.rows('SELECT id FROM lifecycle.things')).toEqual([{ id: 7 }]);
    await expect(cloud.rows('SELECT id FROM lifecycle.things')).rejects.toThrow(PERMISSION_DENIED);
    await expect(cloud.execute('CREATE TABLE lifecycle.mine (id int)')).rejects.toThrow(PERMISSION_DENIED);
    await expect(cloud.execute('CREATE TABLE public.mine (id int)')).rejects.toThrow(PERMISSION_DENIED);
    await expect(cloud.execute('CREATE ROLE more')).rejects.toThrow(PERMISSION_DENIED);
  });

  it('keep their data and passwords from one start to the next', async () => {
    const first = await start();
    const before = await databases(first);
    const database = open(before.get('lifecycle'), 'lifecycle');
    await database.execute('CREATE TABLE kept AS SELECT 7 AS id');
    await database.close();
    await server?.stop();

    const after = await databases(await start());
    expect(await open(after.get('lifecycle'), 'lifecycle').rows('SELECT id FROM kept')).toEqual([{ id: 7 }]);
    const password = (urls: ReadonlyMap<string, string>): string => new URL(urls.get('lifecycle') ?? '').password;
    expect(password(after)).toBe(password(before));
  });
});

describe('preparePostgres', () => {
  it('starts over after a first start that was killed half-way', async () => {
    const postgres = await preparePostgres(dir, await freePort());
    const data = join(postgres.program.directory, 'data');
    await rm(join(data, 'PG_VERSION'));
    await rm(join(dir.service('postgres'), 'initialized'));

    expect((await databases(await start())).size).toBe(2);
  });

  it('clears away the pid file of a server that is gone, but not that of one that runs', async () => {
    const postgres = await start();
    await databases(postgres);
    const pidFile = join(postgres.program.directory, 'data', 'postmaster.pid');
    await preparePostgres(dir, await freePort());
    expect(existsSync(pidFile)).toBe(true);
    await server?.stop();

    // After a loss of power the id may belong to anybody, such as this process.
    await writeFile(pidFile, `${process.pid}\n`);
    await preparePostgres(dir, await freePort());
    expect(existsSync(pidFile)).toBe(false);
  });
});
