import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Database } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from './data-dir.js';
import { ensureServiceDatabases } from './service-databases.js';

let server: PostgresServer;
let dir: DataDir;
/** Of one who owns the database and may create roles, as clouds give it, and is no superuser. */
let ownerUrl: string;
const opened: Database[] = [];

beforeAll(async () => {
  server = await startPostgres();
  await open(server.url).rowsOnce(`CREATE ROLE owner LOGIN CREATEROLE PASSWORD 'secret'`);
});
afterAll(async () => server.stop());
beforeEach(async () => {
  dir = await temporaryDataDir();
  await dir.prepare();
  const { url } = await server.createDatabase();
  await open(server.url).rowsOnce(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" OWNER TO owner`);
  ownerUrl = urlAs(url, 'owner', 'secret');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await removeDataDir(dir);
});

function urlAs(url: string, username: string, password: string): string {
  return Object.assign(new URL(url), { username, password }).href;
}

function open(url: string): Database {
  const database = new Database({ url, schema: 'public', maxConnections: 1 });
  opened.push(database);
  return database;
}

/** Roles are those of the whole server: each test has a service of its own. */
async function ensure(service: string): Promise<string> {
  const { signal } = new AbortController();
  const urls = await ensureServiceDatabases({ dir, ownerUrl, services: [service], signal });
  return urls.get(service) ?? '';
}

async function nameAt(url: string): Promise<unknown> {
  const [row] = await open(url).rowsOnce('SELECT current_user::text AS name');
  return row?.['name'];
}

describe('a role of a service that is there already', () => {
  it.each([
    { role: 'bare', options: '', reason: 'as roles are restored without passwords' },
    { role: 'other', options: `LOGIN PASSWORD 'abc'`, reason: 'with the password of another data directory' },
  ])('lets the service in: $reason', async ({ role, options }) => {
    await open(ownerUrl).rowsOnce(`CREATE ROLE ${role} ${options}`);
    expect(await nameAt(await ensure(role))).toBe(role);
    expect(await nameAt(await ensure(role))).toBe(role);
  });

  it('keeps its password while somebody is there by it', async () => {
    await open(ownerUrl).rowsOnce(`CREATE ROLE busy LOGIN PASSWORD 'abc'`);
    const running = urlAs(server.url, 'busy', 'abc');
    expect(await nameAt(running)).toBe('busy');
    await expect(ensure('busy')).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringMatching(/^Another installation is at work as the role busy/),
    });
    expect(await nameAt(running)).toBe('busy');
  });

  it('is asked of a superuser where nobody else may change it', async () => {
    await open(server.url).rowsOnce('CREATE ROLE foreign_made');
    await open(server.url).rowsOnce('GRANT foreign_made TO owner');
    await expect(ensure('foreign-made')).rejects.toMatchObject({
      code: 'Conflict',
      details: { remedy: expect.stringMatching(/^As a superuser: ALTER ROLE foreign_made LOGIN PASSWORD/) },
    });
    const password = await readFile(join(dir.service('foreign-made'), 'database-password'), 'utf8');
    await open(server.url).rowsOnce(`ALTER ROLE foreign_made LOGIN PASSWORD '${password.trim()}'`);
    expect(await nameAt(await ensure('foreign-made'))).toBe('foreign_made');
  });
});
