import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { AesGcmSecretBox, KeyRing, PostgresSecretStore, SECRETS_MIGRATIONS, type EncryptionKey } from './index.js';
import { secretStoreContract } from './testing/secret-store.contract.js';

const keyOf = (keyId: string): EncryptionKey => ({ keyId, key: randomBytes(32) });
const oldKey = keyOf('2026-01');
const newKey = keyOf('2026-02');
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

let server: PostgresServer;
let pool: pg.Pool;

beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  const { url } = await server.createDatabase();
  pool = new pg.Pool({ connectionString: url, max: 6 });
  pool.on('error', () => undefined); // The server's stop may overtake the end of an idle connection.
  await pool.query(await readFile(join(SECRETS_MIGRATIONS, '20261121000000_secret_versions', 'migration.sql'), 'utf8'));
});
afterEach(async () => pool.end());
afterAll(async () => server.stop());

function storeWith(...keys: EncryptionKey[]): PostgresSecretStore {
  return new PostgresSecretStore({ pool, box: new AesGcmSecretBox(new KeyRing(keys)), keptVersions: 3 });
}

secretStoreContract('PostgresSecretStore', () => Promise.resolve(storeWith(oldKey)));

describe('PostgresSecretStore', () => {
  it('lets nobody read or compare contents in the table', async () => {
    const store = storeWith(oldKey);
    await store.put('a', 'state', bytes('the same secret content'));
    await store.put('b', 'state', bytes('the same secret content'));

    const { rows } = await pool.query<{ digest: Buffer; row: string }>(
      'SELECT digest, s::text AS row FROM secret_versions s',
    );
    const hex = Buffer.from('secret content').toString('hex');
    expect(rows.some(({ row }) => row.includes(hex) || row.includes('secret content'))).toBe(false);
    expect(rows[0]?.digest.equals(rows[1]!.digest)).toBe(false);
  });

  it('writes nothing when the same content is put again', async () => {
    const store = storeWith(oldKey);
    await store.put('a', 'state', bytes('one'), 1n);
    const before = await pool.query('SELECT xmin, ctid FROM secret_versions');

    await store.put('a', 'state', bytes('one'), 1n);

    expect((await pool.query('SELECT xmin, ctid FROM secret_versions')).rows).toEqual(before.rows);
  });

  it.each([
    { name: 'a value moved to another owner', sql: "UPDATE secret_versions SET owner_uid = 'b'", owner: 'b' },
    {
      name: 'an old value passed off as the newest',
      sql: 'UPDATE secret_versions SET serial = serial + 5',
      owner: 'a',
    },
    {
      name: 'a changed byte',
      sql: 'UPDATE secret_versions SET ciphertext = set_byte(ciphertext, 0, get_byte(ciphertext, 0) # 1)',
      owner: 'a',
    },
  ])('detects $name', async ({ sql, owner }) => {
    const store = storeWith(oldKey);
    await store.put('a', 'state', bytes('one'));
    await pool.query(sql);

    await expect(store.find(owner, 'state')).rejects.toMatchObject({ code: 'Invariant' });
  });

  it('says Unavailable, not Invariant, when the key is missing', async () => {
    await storeWith(oldKey).put('a', 'state', bytes('one'));

    await expect(storeWith(newKey).find('a', 'state')).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('keeps the connection usable after a refused write', async () => {
    const store = storeWith(oldKey);
    await store.put('a', 'state', bytes('one'), 2n);
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await expect(store.put('a', 'state', bytes('two'), 1n)).rejects.toMatchObject({ code: 'Conflict' });
    }

    expect(await store.put('a', 'state', bytes('two'), 2n)).toBe(2);
    expect(pool.totalCount).toBe(pool.idleCount);
  });
});

describe('rotation', () => {
  it('moves everything under the newest key, so that the old one can go', async () => {
    const before = storeWith(oldKey);
    for (const text of ['one', 'two']) await before.put('a', 'state', bytes(text), 7n);
    for (let index = 0; index < 120; index += 1) await before.put(`owner ${index}`, 'key', bytes('x'));

    const both = storeWith(oldKey, newKey);
    expect(await both.rewrapAll()).toBe(122);
    expect(await both.rewrapAll()).toBe(0);

    const after = storeWith(newKey);
    expect(await after.find('a', 'state')).toEqual({ serial: 2, plain: Buffer.from('two') });
    await expect(after.put('a', 'state', bytes('x'), 6n)).rejects.toMatchObject({ code: 'Conflict' });
  });

  it('makes no new version of the same content, before and after everything is moved', async () => {
    await storeWith(oldKey).put('a', 'state', bytes('one'));

    const both = storeWith(oldKey, newKey);
    expect(await both.put('a', 'state', bytes('one'))).toBe(1);
    await both.rewrapAll();
    expect(await both.put('a', 'state', bytes('one'))).toBe(1);
  });

  it('goes on beside writers', async () => {
    const before = storeWith(oldKey);
    for (let index = 0; index < 50; index += 1) await before.put(`owner ${index}`, 'key', bytes('old'));

    const both = storeWith(oldKey, newKey);
    const writes = Array.from({ length: 50 }, (_, index) => both.put(`owner ${index}`, 'key', bytes('new')));
    await Promise.all([both.rewrapAll(), both.rewrapAll(), ...writes]);
    await both.rewrapAll();

    const after = storeWith(newKey);
    for (let index = 0; index < 50; index += 1) {
      expect(await after.find(`owner ${index}`, 'key')).toEqual({ serial: 2, plain: Buffer.from('new') });
    }
  });
});
