import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rm, writeFile } from 'node:fs/promises';
import { Database } from '@crate/database';
import { releaseSecrets } from '@crate/helm-chart';
import { freePort, startPostgres, type PostgresServer } from '@crate/testing';
import { ensureServiceRole } from '../up/service-databases.js';
import { SERVICE_ORDER } from '../up/service-order.js';
import { temporaryDataDir } from '../testing/temporary-data-dir.js';
import { BootstrapDir } from './bootstrap-dir.js';
import { checkDatabase, dropInstallation } from './platform-database.js';
import type { BootstrapRequest } from './request.js';

const OURS = `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'lifecycle%' OR nspname LIKE '%_mgmt%'
  UNION ALL SELECT rolname FROM pg_roles WHERE rolname LIKE 'lifecycle%' OR rolname LIKE '%_mgmt%'`;

let server: PostgresServer;
let url: string;
let owner: Database;
beforeAll(async () => {
  server = await startPostgres();
  await administer(`CREATE ROLE owner LOGIN CREATEROLE PASSWORD 'secret'`, `CREATE ROLE other LOGIN PASSWORD 'secret'`);
});
afterAll(async () => server.stop());
beforeEach(async () => {
  const database = await server.createDatabase();
  await administer(`ALTER DATABASE "${new URL(database.url).pathname.slice(1)}" OWNER TO owner`);
  url = urlAs(database.url, 'owner');
  owner = new Database({ url, schema: 'public', maxConnections: 1 });
});
afterEach(async () => owner.close());

async function administer(...statements: readonly string[]): Promise<void> {
  const admin = new Database({ url: server.url, schema: 'public', maxConnections: 1 });
  for (const statement of statements) await admin.rowsOnce(statement);
  await admin.close();
}

function urlAs(text: string, username: string): string {
  return Object.assign(new URL(text), { username, password: 'secret' }).href;
}

async function remove(): Promise<void> {
  const root = await temporaryDataDir();
  const dir = new BootstrapDir(root.root);
  await writeFile(dir.databaseUrl(), url);
  await dropInstallation(dir, { databaseUrlFile: 'given' } as BootstrapRequest);
  await rm(root.root, { recursive: true });
}

describe('an owner of the database who may create roles, and is no superuser', () => {
  it('is found to have what is needed, of which nothing is left', async () => {
    await checkDatabase(url);
    expect(await owner.rowsOnce(OURS)).toEqual([]);
  });

  it('makes the roles of services, once, and takes away all that they had', async () => {
    for (const service of SERVICE_ORDER) {
      const role = service.replaceAll('-', '_');
      await owner.transaction((transaction) => ensureServiceRole(transaction, role, 'abc'));
      await owner.transaction((transaction) => ensureServiceRole(transaction, role, 'def'));
    }
    await owner.rowsOnce('SET ROLE lifecycle');
    await owner.rowsOnce('CREATE TABLE lifecycle.things (id int)');
    await owner.rowsOnce('RESET ROLE');
    await expect(checkDatabase(url)).rejects.toMatchObject({ details: { reason: 'DatabaseInUse' } });

    await remove();
    expect(await owner.rowsOnce(OURS)).toEqual([]);
  });

  it('goes on with a role that was left without a schema, and takes one away', async () => {
    await owner.rowsOnce(`CREATE ROLE lifecycle LOGIN PASSWORD 'abc'`);
    await remove();
    expect(await owner.rowsOnce(OURS)).toEqual([]);

    await owner.rowsOnce(`CREATE ROLE lifecycle LOGIN PASSWORD 'abc'`);
    await owner.transaction((transaction) => ensureServiceRole(transaction, 'lifecycle', 'def'));
    expect(await owner.rowsOnce(OURS)).toHaveLength(3);
    await remove();
  });

  it('runs what make-secrets writes for it', async () => {
    const options = { fullname: 'crate', namespace: 'crate-system', databaseUrl: 'postgresql://db.example.com/crate' };
    const { sql = '' } = await releaseSecrets(options);
    for (const statement of sql.trim().split('\n')) await owner.rowsOnce(statement);
    expect((await owner.rowsOnce(OURS)).length).toBe(3 * SERVICE_ORDER.length);
    await remove();
  });
});

it('says before anything is made that a user may not create roles', async () => {
  await expect(checkDatabase(urlAs(url, 'other'))).rejects.toMatchObject({
    code: 'Conflict',
    message: expect.stringContaining('permission denied to create role') as unknown,
    details: { reason: 'DatabaseForbids', remedy: expect.stringContaining('CREATEROLE') as unknown },
  });
});

describe('a database that is not to be had', () => {
  it.each<{ name: string; changed: Partial<Pick<URL, 'password' | 'pathname'>>; text: string }>([
    { name: 'the password is wrong', changed: { password: 'wrong' }, text: 'password authentication failed' },
    { name: 'there is none of its name', changed: { pathname: '/nowhere' }, text: 'database "nowhere" does not exist' },
  ])('is told of by what its server says where $name', async ({ changed, text }) => {
    await expect(checkDatabase(Object.assign(new URL(url), changed).href)).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringMatching(`^DatabaseRefuses: PostgreSQL at ${new URL(url).host} .*${text}`) as unknown,
      details: { remedy: expect.stringContaining('--database-url-file') as unknown },
    });
  });

  it('is told of by its cause where nobody answers', async () => {
    const port = String(await freePort());
    await expect(checkDatabase(Object.assign(new URL(url), { port }).href)).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(/^DatabaseUnreachable: .* does not answer: nothing listens there$/) as unknown,
    });
  });
});
