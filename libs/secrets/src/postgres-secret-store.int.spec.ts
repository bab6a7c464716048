import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Database } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AesGcmSecretBox,
  KeyRing,
  PostgresSecretStore,
  SecretRenewal,
  secretDamageOf,
  SECRETS_MIGRATIONS,
  type EncryptionKey,
  type SecretDamage,
  type SecretFacts,
} from './index.js';
import { secretStoreContract } from './testing/secret-store.contract.js';

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
  database = new Database({ url, schema: 'public', maxConnections: 6 });
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
    await store.put('a', 'state', bytes('one'), { epoch: 1n });
    const before = await pool.query('SELECT xmin, ctid FROM secret_versions');

    await store.put('a', 'state', bytes('one'), { epoch: 1n });

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

  it('takes for old of what nothing was stored since, and leaves no head of it', async () => {
    const store = storeWith(oldKey);
    for (const kind of ['old', 'again']) await store.put('a', kind, bytes('one'));
    await pool.query(`UPDATE secret_versions SET created_at = now() - interval '2 hours'`);
    await store.put('a', 'again', bytes('one'), { isAnew: true });
    await store.removeOthers('a', undefined, 3_600_000);

    expect((await pool.query('SELECT DISTINCT kind FROM secret_versions')).rows).toEqual([{ kind: 'again' }]);
    expect((await pool.query('SELECT kind FROM secret_heads')).rows).toEqual([{ kind: 'again' }]);
    expect(await store.find('a', 'again')).toMatchObject({ serial: 2 });
  });

  it('keeps what is old while what took its place is young, or not there', async () => {
    const store = storeWith(oldKey);
    const kinds = async (): Promise<unknown[]> =>
      (await pool.query('SELECT DISTINCT kind FROM secret_versions ORDER BY kind')).rows.map(
        ({ kind }) => kind as unknown,
      );
    await store.put('a', 'old', bytes('one'));
    await pool.query(`UPDATE secret_versions SET created_at = now() - interval '2 hours'`);
    await store.put('a', 'swapped', bytes('two'));
    for (const kept of ['swapped', 'unknown']) await store.removeOthers('a', kept, 3_600_000);
    expect(await kinds()).toEqual(['old', 'swapped']);

    await pool.query(`UPDATE secret_versions SET created_at = now() - interval '2 hours'`);
    await store.removeOthers('a', 'swapped', 3_600_000);
    expect(await kinds()).toEqual(['swapped']);
  });

  it('says Unavailable, not Invariant, when the key is missing', async () => {
    await storeWith(oldKey).put('a', 'state', bytes('one'));

    await expect(storeWith(newKey).find('a', 'state')).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('says Unavailable when the database does not answer', async () => {
    const store = storeWith(oldKey);
    await database.close();

    const away = { code: 'Unavailable', message: 'The database does not answer' };
    await expect(store.put('a', 'state', bytes('one'))).rejects.toMatchObject(away);
    await expect(store.find('a', 'state')).rejects.toMatchObject(away);
    await expect(store.versions('a', 'state')).rejects.toMatchObject(away);
  });

  it('keeps the connection usable after a refused write', async () => {
    const store = storeWith(oldKey);
    await store.put('a', 'state', bytes('one'), { epoch: 2n });
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await expect(store.put('a', 'state', bytes('two'), { epoch: 1n })).rejects.toMatchObject({ code: 'Conflict' });
    }

    expect(await store.put('a', 'state', bytes('two'), { epoch: 2n })).toBe(2);
    expect(pool.totalCount).toBe(pool.idleCount);
  });
});

describe('a series of states', () => {
  /** Five versions, of which three are kept, and one of another owner and lineage. */
  async function store(): Promise<PostgresSecretStore> {
    const made = storeWith(oldKey);
    for (let serial = 1; serial <= 5; serial += 1) await putState(made, 'a', serial, 'lineage-a');
    await putState(made, 'b', 5, 'lineage-b');
    return made;
  }

  async function putState(to: PostgresSecretStore, owner: string, serial: number, lineage: string): Promise<number> {
    return to.put(owner, 'state', bytes(`${lineage} ${serial}`), { facts: () => ({ lineage, serial: serial * 10 }) });
  }

  const newest = "owner_uid = 'a' AND serial = 5";

  it.each<{ name: string; sql: string; want: SecretDamage; isSeenByWrites?: false }>([
    { name: 'the newest version removed', sql: `DELETE FROM secret_versions WHERE ${newest}`, want: 'rolledBack' },
    { name: 'all versions removed', sql: "DELETE FROM secret_versions WHERE owner_uid = 'a'", want: 'rolledBack' },
    {
      name: 'an old version in place of the newest',
      sql: `DELETE FROM secret_versions WHERE ${newest};
            UPDATE secret_versions SET serial = 5 WHERE owner_uid = 'a' AND serial = 3`,
      want: 'rolledBack',
    },
    {
      name: 'an old version in place of the newest, with the facts of the newest',
      sql: `DELETE FROM secret_versions WHERE ${newest};
            UPDATE secret_versions SET serial = 5, facts = '{"lineage": "lineage-a", "serial": 50}'
            WHERE owner_uid = 'a' AND serial = 3`,
      want: 'tampered',
    },
    {
      name: 'the content of an old version in the row of the newest',
      sql: `UPDATE secret_versions n SET ciphertext = o.ciphertext, iv = o.iv, tag = o.tag, wrapped_key = o.wrapped_key
            FROM secret_versions o WHERE n.owner_uid = 'a' AND n.serial = 5 AND o.owner_uid = 'a' AND o.serial = 4`,
      want: 'tampered',
      isSeenByWrites: false,
    },
    {
      name: 'a version of another owner in place of the newest',
      sql: `DELETE FROM secret_versions WHERE ${newest};
            UPDATE secret_versions SET owner_uid = 'a', serial = 5 WHERE owner_uid = 'b'`,
      want: 'foreign',
    },
    {
      name: 'a version put in after the newest',
      sql: "UPDATE secret_versions SET owner_uid = 'a', serial = 6 WHERE owner_uid = 'b'",
      want: 'foreign',
    },
    {
      name: 'other facts',
      sql: `UPDATE secret_versions SET facts = '{"serial": 50}' WHERE ${newest}`,
      want: 'tampered',
    },
    {
      name: 'a truncated content',
      sql: `UPDATE secret_versions SET ciphertext = '' WHERE ${newest}`,
      want: 'tampered',
      isSeenByWrites: false,
    },
    { name: 'a removed head', sql: 'DELETE FROM secret_heads', want: 'tampered' },
    {
      name: 'a head that was set back along with the versions',
      sql: `DELETE FROM secret_versions WHERE ${newest}; UPDATE secret_heads SET serial = 4`,
      want: 'tampered',
    },
    {
      name: 'facts taken off, as if it were from before there were any',
      sql: 'DELETE FROM secret_heads; UPDATE secret_versions SET facts = NULL',
      want: 'tampered',
    },
  ])('with $name is refused as $want', async ({ sql, want, isSeenByWrites = true }) => {
    const made = await store();
    await pool.query(sql);

    expect(await made.find('a', 'state').catch(secretDamageOf)).toBe(want);
    // A write looks at the newest row only as far as the head tells of it; its content is not opened.
    const written = await putState(made, 'a', 6, 'lineage-a').catch(secretDamageOf);
    expect(written).toBe(isSeenByWrites ? want : 6);
  });

  it('is healed by a person when the key that it stands under is lost', async () => {
    await storeWith(oldKey).put('a', 'state', bytes('lost'), { epoch: 5n });
    const store = storeWith(newKey);
    await expect(store.put('a', 'state', bytes('next'), { epoch: 6n })).rejects.toMatchObject({
      code: 'Unavailable',
      details: { reason: 'EncryptionKeyMissing', remedy: expect.stringContaining('2026-01.key') as unknown },
    });

    expect(await store.put('a', 'state', bytes('healed'), { epoch: 6n, heal: { above: 1 } })).toBe(2);
    expect(await store.find('a', 'state')).toMatchObject({ plain: Buffer.from('healed'), fence: 6n });
  });

  it('is healed by a person, under a serial that was never used', async () => {
    const made = await store();
    await pool.query("DELETE FROM secret_versions WHERE owner_uid = 'a' AND serial >= 4");

    const options = { heal: { above: 7 }, facts: () => ({ lineage: 'lineage-a', serial: 60 }) };
    expect(await made.put('a', 'state', bytes('healed'), options)).toBe(8);
    expect(await made.find('a', 'state')).toEqual({
      serial: 8,
      plain: Buffer.from('healed'),
      facts: { lineage: 'lineage-a', serial: 60 },
    });
  });

  /** As the version of the platform before wrote it: no facts, no head. */
  async function writeAsBefore(ownerUid: string, serial: number, text: string): Promise<void> {
    const legacy = new AesGcmSecretBox(new KeyRing([oldKey]));
    const binding = { ownerUid, kind: 'state', serial };
    const sealed = await legacy.seal(bytes(text), binding);
    const digest = await legacy.digest(bytes(text), binding, sealed.keyId);
    await pool.query(
      `INSERT INTO secret_versions (owner_uid, kind, serial, key_id, wrapped_key, iv, tag, ciphertext, digest)
       VALUES ($1, 'state', $2, $3, $4, $5, $6, $7, $8)`,
      [ownerUid, serial, sealed.keyId, sealed.wrappedKey, sealed.iv, sealed.tag, sealed.ciphertext, digest],
    );
  }

  it('opens rows from before there were facts, and binds them with the next write', async () => {
    await writeAsBefore('old', 4, 'from before');
    const made = storeWith(oldKey, newKey);
    expect(await made.find('old', 'state')).toEqual({ serial: 4, plain: Buffer.from('from before'), facts: undefined });
    expect(await renewalWith(oldKey, newKey).run()).toEqual({ renewed: 1, failed: 0 });

    expect(await made.put('old', 'state', bytes('from before'), { facts: () => ({ lineage: 'l' }) })).toBe(5);
    expect(await made.find('old', 'state')).toMatchObject({ serial: 5, facts: { lineage: 'l' } });
    expect((await made.findVersion('old', 'state', 4))?.facts).toBeUndefined();
  });

  it('takes what an older replica writes during an upgrade, and nothing that only looks like it', async () => {
    const made = await store();
    await writeAsBefore('a', 6, 'of an older replica');
    expect(await made.find('a', 'state')).toMatchObject({ serial: 6, plain: Buffer.from('of an older replica') });
    expect(await renewalWith(oldKey, newKey).run()).toMatchObject({ failed: 0 });
    expect(await storeWith(oldKey, newKey).find('a', 'state')).toMatchObject({ serial: 6 });
    expect(await putState(storeWith(oldKey, newKey), 'a', 7, 'lineage-a')).toBe(7);

    await pool.query('UPDATE secret_versions SET serial = 9, facts = NULL WHERE serial = 6');
    const both = storeWith(oldKey, newKey);
    expect(await both.find('a', 'state').catch(secretDamageOf)).toBe('tampered');
    expect(await putState(both, 'a', 10, 'lineage-a').catch(secretDamageOf)).toBe('tampered');
  });
});

describe('the fence of a series', () => {
  const GIVEN_OUT = 'CREATE SEQUENCE work_epochs; SELECT setval($$work_epochs$$, 100)';
  const facts = (): SecretFacts => ({ lineage: 'l', serial: 10 });
  const setEpoch = (epoch: number | null): Promise<unknown> =>
    pool.query('UPDATE secret_versions SET epoch = $1', [epoch]);

  /** Written under epoch 7, while 100 epochs were given out. */
  async function fenced(): Promise<PostgresSecretStore> {
    await pool.query(GIVEN_OUT);
    const made = storeWith(oldKey);
    await made.put('a', 'state', bytes('one'), { epoch: 7n, facts });
    return made;
  }

  it.each([
    { reason: 'lower, so that a pass that lost its lease could write', epoch: 6 },
    { reason: 'none, as if anybody could write', epoch: null },
    { reason: 'higher than any that was given out, so that nobody could write', epoch: 101 },
  ])('with another epoch is refused as tampered: $reason', async ({ epoch }) => {
    const made = await fenced();
    await setEpoch(epoch);

    expect(await made.find('a', 'state').catch(secretDamageOf)).toBe('tampered');
    expect(await made.findVersion('a', 'state', 1).catch(secretDamageOf)).toBe('tampered');
    for (const text of ['one', 'two'])
      expect(await made.put('a', 'state', bytes(text), { epoch: 8n, facts }).catch(secretDamageOf)).toBe('tampered');
    const { rows } = await pool.query('SELECT serial FROM secret_versions');
    expect(rows).toEqual([{ serial: 1 }]);
  });

  it('is bound in the facts: to change them along is seen, too', async () => {
    const made = await fenced();
    await pool.query(`UPDATE secret_versions SET epoch = 6, facts = facts || '{"fence": "6"}'`);
    expect(await made.find('a', 'state').catch(secretDamageOf)).toBe('tampered');
    await pool.query(`UPDATE secret_heads SET facts = facts || '{"fence": "6"}'`);
    expect(await made.find('a', 'state').catch(secretDamageOf)).toBe('tampered');
  });

  it('that the same content has raised is bound anew, without a new version', async () => {
    const made = await fenced();
    expect(await made.put('a', 'state', bytes('one'), { epoch: 9n, facts })).toBe(1);
    expect(await made.find('a', 'state')).toEqual({ serial: 1, plain: Buffer.from('one'), facts: facts(), fence: 9n });

    await setEpoch(7);
    expect(await made.find('a', 'state').catch(secretDamageOf)).toBe('tampered');
  });

  it('may have been raised by whoever has no keys, to an epoch that was given out', async () => {
    const made = await fenced();
    await setEpoch(60);

    expect(await made.find('a', 'state')).toMatchObject({ serial: 1 });
    await expect(made.put('a', 'state', bytes('two'), { epoch: 59n, facts })).rejects.toMatchObject({
      code: 'Conflict',
    });
    expect(await made.put('a', 'state', bytes('one'), { epoch: 61n, facts })).toBe(1);
    await setEpoch(60);
    expect(await made.find('a', 'state').catch(secretDamageOf)).toBe('tampered');
  });

  it('that somebody set is not bound by healing; what the head says is', async () => {
    const made = await fenced();
    await setEpoch(101);

    expect(await made.put('a', 'state', bytes('healed'), { facts, heal: { above: 1 } })).toBe(2);
    await expect(made.put('a', 'state', bytes('two'), { epoch: 6n, facts })).rejects.toMatchObject({
      code: 'Conflict',
    });
    expect(await made.put('a', 'state', bytes('two'), { epoch: 8n, facts })).toBe(3);
  });

  it('of a row from before fences were bound counts as it did, and is bound by the next writer with one', async () => {
    const box = new AesGcmSecretBox(new KeyRing([oldKey]));
    const binding = { ownerUid: 'a', kind: 'state', serial: 4, facts: facts() };
    const sealed = await box.seal(bytes('from before'), binding);
    const digest = Buffer.from(await box.digest(bytes('from before'), binding, sealed.keyId));
    const values = [sealed.keyId, sealed.wrappedKey, sealed.iv, sealed.tag, sealed.ciphertext, digest, facts()];
    await pool.query(
      `INSERT INTO secret_versions (owner_uid, kind, serial, epoch, key_id, wrapped_key, iv, tag, ciphertext, digest, facts)
       VALUES ('a', 'state', 4, 7, $1, $2, $3, $4, $5, $6, $7)`,
      values,
    );
    const head = { ...binding, digest: digest.toString('base64') };
    await pool.query(
      `INSERT INTO secret_heads (owner_uid, kind, serial, facts, digest, key_id, mac) VALUES ('a', 'state', 4, $1, $2, $3, $4)`,
      [facts(), digest, sealed.keyId, await box.headMac(head, sealed.keyId)],
    );

    const made = storeWith(oldKey);
    expect(await made.find('a', 'state')).toEqual({ serial: 4, plain: Buffer.from('from before'), facts: facts() });
    await expect(made.put('a', 'state', bytes('x'), { epoch: 6n })).rejects.toMatchObject({ code: 'Conflict' });
    expect(await made.put('a', 'state', bytes('from before'), { epoch: 7n, facts })).toBe(4);
    await setEpoch(6);
    expect(await made.find('a', 'state').catch(secretDamageOf)).toBe('tampered');
  });

  it('stays bound when the key is rotated', async () => {
    await fenced();
    expect(await renewalWith(oldKey, newKey).run()).toEqual({ renewed: 1, failed: 0 });
    const after = storeWith(newKey);
    expect(await after.find('a', 'state')).toMatchObject({ serial: 1, facts: facts() });
    await setEpoch(6);
    expect(await after.find('a', 'state').catch(secretDamageOf)).toBe('tampered');
  });
});
