import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataDir } from '../up/data-dir.js';
import { usesOf } from './encryption-keys.js';

let server: PostgresServer;
let root: string;
let dir: DataDir;

async function useDatabase(): Promise<string> {
  const { url } = await server.createDatabase();
  await writeFile(join(dir.service('postgres'), 'database-url'), url);
  return url;
}

beforeAll(async () => {
  server = await startPostgres();
  root = await mkdtemp(join(tmpdir(), 'crate-uses-'));
  dir = new DataDir(root);
  await mkdir(dir.service('postgres'), { recursive: true });
  const url = await useDatabase();
  const database = new Database({ url, schema: 'policy_mgmt', maxConnections: 1 });
  await database.execute('CREATE SCHEMA policy_mgmt', []);
  for (const table of ['secret_versions', 'policy_documents'])
    await database.execute(`CREATE TABLE ${table} (key_id text, wrapped_key bytea)`, []);
  await database.execute('CREATE TABLE resources ()', []);
  // As of a platform of one cluster, in which it never runs.
  await database.execute('CREATE SCHEMA cloud_mgmt', []);
  await database.execute('CREATE TABLE secret_heads (key_id text)', []);
  await database.execute(`INSERT INTO secret_versions VALUES ('1', '')`, []);
  await database.execute(`INSERT INTO secret_heads VALUES ('1')`, []);
  await database.execute(`INSERT INTO policy_documents VALUES ('1', ''), ('2', '')`, []);
  await database.close();
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
  await server.stop();
});

describe('usesOf', () => {
  it('counts what a service has sealed in tables of its own too, so that no key of it is retired', async () => {
    expect(await usesOf(dir, 'policy-mgmt')).toEqual([
      { keyId: '1', records: 3 },
      { keyId: '2', records: 1 },
    ]);
  });

  it('has nothing of a service that never ran', async () => {
    expect(await usesOf(dir, 'cloud-mgmt')).toEqual([]);
  });

  it('does not take the database of somebody else for one in which nothing stands under a key', async () => {
    await useDatabase();
    await expect(usesOf(dir, 'policy-mgmt')).rejects.toMatchObject({ code: 'NotFound' });
  });
});
