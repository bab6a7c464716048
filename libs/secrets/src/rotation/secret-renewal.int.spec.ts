import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '@crate/database';
import { conflict, timeout, unavailable } from '@crate/errors';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AesGcmSecretBox,
  createKeyFile,
  FileKeyProvider,
  KeyRing,
  keyUses,
  listKeyFiles,
  PostgresSecretStore,
  retireKeyFile,
  SecretRenewal,
  SECRETS_MIGRATIONS,
  type EncryptionKey,
  type SealedSecret,
  type SealedTable,
} from '../index.js';

const keyOf = (keyId: string): EncryptionKey => ({ keyId, key: randomBytes(32) });
const oldKey = keyOf('2026-01');
const newKey = keyOf('2026-02');
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

let server: PostgresServer;
let database: Database;
let pool: Database['pool'];

beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  const { url } = await server.createDatabase();
  database = new Database({ url, schema: 'public', maxConnections: 8 });
  ({ pool } = database);
  for (const folder of (await readdir(SECRETS_MIGRATIONS)).sort()) {
    await pool.query(await readFile(join(SECRETS_MIGRATIONS, folder, 'migration.sql'), 'utf8'));
  }
});
afterEach(async () => database.close());
afterAll(async () => server.stop());

function storeWith(...keys: EncryptionKey[]): PostgresSecretStore {
  return new PostgresSecretStore({ database, box: new AesGcmSecretBox(new KeyRing(keys)), keptVersions: 3 });
}

function renewalWith(...keys: EncryptionKey[]): SecretRenewal {
  return new SecretRenewal(database, new AesGcmSecretBox(new KeyRing(keys)));
}

describe('SecretRenewal', () => {
  it('moves everything under the newest key, so that the old one can go', async () => {
    const before = storeWith(oldKey);
    for (const text of ['one', 'two']) await before.put('a', 'state', bytes(text), { epoch: 7n });
    for (let index = 0; index < 120; index += 1) await before.put(`owner ${index}`, 'key', bytes('x'));

    const renewal = renewalWith(oldKey, newKey);
    const steps: number[] = [];
    expect(await renewal.olderKeys()).toEqual({ present: ['2026-01'], missing: [] });
    const done = await renewal.run({ onProgress: ({ renewed }) => steps.push(renewed) });
    expect(done).toEqual({ renewed: 122, failed: 0 });
    expect(steps).toEqual([100, 122]);
    expect(await renewal.olderKeys()).toEqual({ present: [], missing: [] });
    expect(await renewal.uses()).toEqual([{ keyId: '2026-02', records: 243 }]);

    const behind = new SecretRenewal(database, new AesGcmSecretBox(new KeyRing([oldKey, newKey], oldKey.keyId)));
    expect((await behind.olderKeys()).present).toEqual([]);
    expect(await behind.run()).toEqual({ renewed: 0, failed: 0 });

    const after = storeWith(newKey);
    expect(await after.find('a', 'state')).toMatchObject({ serial: 2, plain: Buffer.from('two') });
    await expect(after.put('a', 'state', bytes('x'), { epoch: 6n })).rejects.toMatchObject({ code: 'Conflict' });
  });

  it('gives each record a data key and a ciphertext of its own anew, not a new wrapping alone', async () => {
    await storeWith(oldKey).put('a', 'state', bytes('one'));
    const row = async (): Promise<Record<string, Buffer>> =>
      (await pool.query<Record<string, Buffer>>('SELECT wrapped_key, iv, tag, ciphertext FROM secret_versions'))
        .rows[0]!;
    const before = await row();
    await renewalWith(oldKey, newKey).run();
    const after = await row();
    for (const column of Object.keys(before)) expect(after[column]?.equals(before[column]!)).toBe(false);
  });

  it('tells of the keys that other tables are under, where it is told of them', async () => {
    await storeWith(newKey).put('a', 'state', bytes('one'));
    await pool.query(`CREATE TABLE own_records (key_id text); INSERT INTO own_records VALUES ('2026-01'), ('2026-02')`);
    const uses = await keyUses((sql) => pool.query(sql), ['own_records']);
    expect(uses).toEqual([
      { keyId: '2026-01', records: 1 },
      { keyId: '2026-02', records: 3 },
    ]);
  });

  it('writes nothing when all is under the newest key', async () => {
    await storeWith(newKey).put('a', 'state', bytes('one'));
    const mark = async (): Promise<unknown> => (await pool.query('SELECT xmin, ctid FROM secret_versions')).rows;
    const before = await mark();
    expect(await renewalWith(oldKey, newKey).run()).toEqual({ renewed: 0, failed: 0 });
    expect(await mark()).toEqual(before);
  });

  it('makes no new version of the same content, before and after everything is moved', async () => {
    await storeWith(oldKey).put('a', 'state', bytes('one'));
    const both = storeWith(oldKey, newKey);
    expect(await both.put('a', 'state', bytes('one'))).toBe(1);
    await renewalWith(oldKey, newKey).run();
    expect(await both.put('a', 'state', bytes('one'))).toBe(1);
  });

  it('goes on beside writers, one process at a time', async () => {
    const before = storeWith(oldKey);
    for (let index = 0; index < 50; index += 1) await before.put(`owner ${index}`, 'key', bytes('old'));

    const both = storeWith(oldKey, newKey);
    let runs: readonly Promise<unknown>[] = [];
    let writes: readonly Promise<unknown>[] = [];
    await database.transaction(async (transaction) => {
      await transaction.execute('LOCK TABLE secret_versions IN ACCESS EXCLUSIVE MODE');
      runs = [renewalWith(oldKey, newKey).run(), renewalWith(oldKey, newKey).run()];
      // One waits for the table, and the other for nothing.
      expect(await Promise.race(runs)).toBeUndefined();
      writes = Array.from({ length: 50 }, (_, index) => both.put(`owner ${index}`, 'key', bytes('new')));
    });
    await Promise.all(writes);
    expect((await Promise.all(runs)).filter((run) => run === undefined)).toHaveLength(1);
    await renewalWith(oldKey, newKey).run();

    const after = storeWith(newKey);
    for (let index = 0; index < 50; index += 1) {
      expect(await after.find(`owner ${index}`, 'key')).toMatchObject({ serial: 2, plain: Buffer.from('new') });
    }
  });

  it('goes on where it was stopped', async () => {
    const before = storeWith(oldKey);
    for (let index = 0; index < 150; index += 1) await before.put(`owner ${index}`, 'key', bytes('x'));
    const stop = new AbortController();
    const first = renewalWith(oldKey, newKey).run({ signal: stop.signal, onProgress: () => stop.abort() });
    await expect(first).rejects.toThrow();
    expect(await renewalWith(oldKey, newKey).run()).toEqual({ renewed: 50, failed: 0 });
  });

  it('leaves out what stands under a key that is not there, and moves it once it is', async () => {
    const lost = keyOf('2026-00');
    await storeWith(lost).put('a', 'state', bytes('one'));
    await storeWith(oldKey).put('b', 'state', bytes('two'));
    const failures: unknown[] = [];
    const renewal = renewalWith(oldKey, newKey);
    expect(await renewal.olderKeys()).toEqual({ present: ['2026-01'], missing: ['2026-00'] });
    expect(await renewal.run({ onFailure: (error) => failures.push(error) })).toEqual({ renewed: 1, failed: 0 });
    expect(failures).toEqual([]);
    expect(await renewal.olderKeys()).toEqual({ present: [], missing: ['2026-00'] });

    const again = renewalWith(lost, oldKey, newKey);
    expect((await again.olderKeys()).present).toEqual(['2026-00']);
    expect(await again.run()).toEqual({ renewed: 1, failed: 0 });
  });

  it('leaves what is damaged as it is, says so, and keeps its key in use', async () => {
    const before = storeWith(oldKey);
    for (const owner of ['a', 'b', 'c']) await before.put(owner, 'state', bytes(owner));
    await pool.query(`UPDATE secret_versions SET tag = '\\x00' WHERE owner_uid = 'b'`);
    const places: unknown[] = [];
    const renewal = renewalWith(oldKey, newKey);
    expect(await renewal.run({ onFailure: (_, place) => places.push(place) })).toEqual({ renewed: 2, failed: 1 });
    expect(places).toEqual([{ ownerUid: 'b', kind: 'state', serial: 1 }]);
    expect(await renewal.uses()).toEqual([
      { keyId: '2026-01', records: 2 },
      { keyId: '2026-02', records: 4 },
    ]);
  });
});

describe('SecretRenewal of tables that a service has of its own', () => {
  const table: SealedTable = {
    name: 'own_records',
    key: ['project', 'name'],
    bindingOf: ({ project, name }) => ({ ownerUid: `${project}/${name}`, kind: 'own', serial: 1 }),
    contentOf: (plain) => Promise.resolve(plain),
  };
  const oldBox = new AesGcmSecretBox(new KeyRing([oldKey]));
  const newBox = new AesGcmSecretBox(new KeyRing([newKey]));
  const renewal = (): SecretRenewal =>
    new SecretRenewal(database, new AesGcmSecretBox(new KeyRing([oldKey, newKey])), [table]);

  beforeEach(async () => {
    await pool.query(`CREATE TABLE own_records (project text, name text, digest bytea, key_id text, wrapped_key bytea,
      iv bytea, tag bytea, ciphertext bytea, PRIMARY KEY (project, name))`);
    for (let index = 0; index < 120; index += 1) await insert('a', `${index}`);
  });

  async function insert(project: string, name: string): Promise<void> {
    const binding = table.bindingOf({ project, name });
    const { keyId, wrappedKey, iv, tag, ciphertext } = await oldBox.seal(bytes(name), binding);
    const digest = await oldBox.digest(bytes(name), binding, keyId);
    await pool.query('INSERT INTO own_records VALUES ($1, $2, $3, $4, $5, $6, $7, $8)', [
      ...[project, name, Buffer.from(digest), keyId, wrappedKey, iv, tag, ciphertext],
    ]);
  }

  it('moves every row, with its digest, so that the old key can go', async () => {
    expect(await renewal().uses()).toEqual([{ keyId: '2026-01', records: 120 }]);
    expect(await renewal().olderKeys()).toEqual({ present: ['2026-01'], missing: [] });
    expect(await renewal().run()).toEqual({ renewed: 120, failed: 0 });
    expect(await renewal().uses()).toEqual([{ keyId: '2026-02', records: 120 }]);

    const binding = table.bindingOf({ project: 'a', name: '7' });
    const { rows } = await pool.query<Record<string, Buffer>>(`SELECT * FROM own_records WHERE name = '7'`);
    const { wrapped_key: wrappedKey, iv, tag, ciphertext, digest } = rows[0] as Record<string, Buffer>;
    const sealed = { keyId: '2026-02', wrappedKey, iv, tag, ciphertext } as SealedSecret;
    expect(await newBox.open(sealed, binding)).toEqual(Buffer.from('7'));
    expect(digest).toEqual(Buffer.from(await newBox.digest(bytes('7'), binding, '2026-02')));
  });

  it('tells of a row that does not open, and goes on', async () => {
    await pool.query(`UPDATE own_records SET tag = 'abcdefghijklmnop' WHERE name = '7'`);
    const places: unknown[] = [];
    const done = await renewal().run({ onFailure: (_, place) => places.push(place) });
    expect(done).toEqual({ renewed: 119, failed: 1 });
    expect(places).toEqual([{ ownerUid: 'a/7', kind: 'own', serial: 1 }]);
  });

  it.each([unavailable('The database does not answer'), timeout('It took too long'), conflict('It was locked')])(
    'takes what says nothing of a row for no damage, and goes on where it ended: $code',
    async (trouble) => {
      const failures: unknown[] = [];
      const isIn = [true, true];
      const contentOf = (plain: Uint8Array): Promise<Uint8Array> =>
        isIn.pop() === undefined ? Promise.reject(trouble) : Promise.resolve(plain);
      const box = new AesGcmSecretBox(new KeyRing([oldKey, newKey]));
      const troubled = new SecretRenewal(database, box, [{ ...table, contentOf }]);
      await expect(troubled.run({ onFailure: (error) => failures.push(error) })).rejects.toBe(trouble);
      expect(failures).toEqual([]);
      expect(await renewal().run()).toEqual({ renewed: 118, failed: 0 });
    },
  );

  it('moves the others where one row cannot be read, and does not call that done', async () => {
    const trouble = unavailable('A block of the disk cannot be read');
    let reads = 0;
    const contentOf = (plain: Uint8Array): Promise<Uint8Array> =>
      (reads += 1) === 3 ? Promise.reject(trouble) : Promise.resolve(plain);
    const box = new AesGcmSecretBox(new KeyRing([oldKey, newKey]));
    await expect(new SecretRenewal(database, box, [{ ...table, contentOf }]).run()).rejects.toBe(trouble);
    expect(await renewal().run()).toEqual({ renewed: 1, failed: 0 });
  });
});

describe('key files', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crate-key-files-'));
  });
  afterEach(async () => rm(directory, { recursive: true, force: true }));

  it('are rotated, picked up and retired while a store is in use', async () => {
    const provider = await FileKeyProvider.ensure(directory);
    const store = new PostgresSecretStore({ database, box: new AesGcmSecretBox(provider) });
    await store.put('a', 'state', bytes('one'));
    const [first = ''] = await listKeyFiles(directory);
    const second = await createKeyFile(directory);
    const renewal = new SecretRenewal(database, new AesGcmSecretBox(await FileKeyProvider.open(directory)));

    await expect(retireKeyFile(directory, first, await renewal.uses())).rejects.toMatchObject({ code: 'Conflict' });
    await expect(retireKeyFile(directory, second, await renewal.uses())).rejects.toMatchObject({ code: 'Conflict' });
    await expect(retireKeyFile(directory, 'none', [])).rejects.toMatchObject({ code: 'NotFound' });

    await renewal.run();
    await expect(retireKeyFile(directory, first, await renewal.uses())).rejects.toMatchObject({ code: 'Conflict' });
    await utimes(join(directory, `${second}.key`), 0, 0);
    await retireKeyFile(directory, first, await renewal.uses());
    expect(await listKeyFiles(directory)).toEqual([second]);
    expect(await store.find('a', 'state')).toMatchObject({ plain: Buffer.from('one') });
  });
});
