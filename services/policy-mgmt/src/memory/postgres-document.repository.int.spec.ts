import { randomBytes } from 'node:crypto';
import type { Database } from '@crate/database';
import { AesGcmSecretBox, KeyRing, SecretRenewal, type EncryptionKey } from '@crate/secrets';
import { InMemoryLogger } from '@crate/telemetry';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { aDatabase } from '../testing/test-database.js';
import { aDraft, documentRepositoryContract } from './document.repository.contract.js';
import { DOCUMENT_TABLE, DocumentSealing } from './document.sealing.js';
import { PostgresDocumentRepository } from './postgres-document.repository.js';

const OLD: EncryptionKey = { keyId: '1', key: randomBytes(32) };
const NEW: EncryptionKey = { keyId: '2', key: randomBytes(32) };

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const logger = new InMemoryLogger();

function repositoryOn(database: Database, ...keys: EncryptionKey[]): PostgresDocumentRepository {
  const sealing = new DocumentSealing(new AesGcmSecretBox(new KeyRing(keys)));
  return new PostgresDocumentRepository(database, sealing, logger);
}

documentRepositoryContract('PostgresDocumentRepository', async () => {
  const database = await aDatabase(server);
  const AGE = 'UPDATE policy_documents SET seen_on = seen_on - $1::int';
  return {
    documents: repositoryOn(database, OLD),
    ageDays: async (days) => void (await database.execute(AGE, [days])),
    close: () => database.close(),
  };
});

describe('documents in Postgres', () => {
  let database: Database;
  beforeEach(async () => {
    database = await aDatabase(server);
  });
  afterEach(() => database.close());

  const rows = (): Promise<readonly { whole: string; xmin: string; key_id: string }[]> =>
    database.rows('SELECT document::text AS whole, xmin::text, key_id FROM policy_documents AS document ORDER BY name');

  async function names(documents: PostgresDocumentRepository): Promise<string[]> {
    const found: string[] = [];
    for await (const { key } of documents.open({})) found.push(key.name);
    return found;
  }

  it('are not to be read there', async () => {
    const secret = 'correct-horse-battery-staple';
    await repositoryOn(database, OLD).save([aDraft({}, { password: secret })]);
    const [row] = await rows();
    const hex = [secret, 'password'].map((word) => Buffer.from(word).toString('hex'));
    for (const word of [secret, ...hex]) expect(row?.whole).not.toContain(word);
  });

  it('are not written a second time, the day included', async () => {
    const documents = repositoryOn(database, OLD);
    await documents.save([aDraft()]);
    const before = await rows();
    await documents.save([aDraft()]);
    expect(await rows()).toEqual(before);
  });

  it('are sealed anew under a newer key when they are asked about, and open under both', async () => {
    await repositoryOn(database, OLD).save([aDraft()]);
    const documents = repositoryOn(database, OLD, NEW);
    expect(await names(documents)).toEqual(['demo']);
    await documents.save([aDraft()]);
    expect((await rows()).map(({ key_id }) => key_id)).toEqual(['2']);
    expect(await names(repositoryOn(database, NEW))).toEqual(['demo']);
  });

  it('are moved under a newer key without being asked about, and are the same then', async () => {
    await repositoryOn(database, OLD).save([aDraft({ name: 'a' })]);
    await database.execute(`UPDATE policy_documents SET seen_on = seen_on - 1`, []);
    const renewal = new SecretRenewal(database, new AesGcmSecretBox(new KeyRing([OLD, NEW])), [DOCUMENT_TABLE]);
    expect(await renewal.run()).toEqual({ renewed: 1, failed: 0 });
    expect(await renewal.uses()).toEqual([{ keyId: NEW.keyId, records: 1 }]);

    const documents = repositoryOn(database, NEW);
    expect(await names(documents)).toEqual(['a']);
    expect(await documents.save([aDraft({ name: 'a' })])).toEqual([]);
  });

  it.each([
    {
      name: 'put in the place of another',
      damage: `UPDATE policy_documents AS one SET (key_id, wrapped_key, iv, tag, ciphertext) =
        (SELECT key_id, wrapped_key, iv, tag, ciphertext FROM policy_documents WHERE name = 'b') WHERE one.name = 'a'`,
    },
    { name: 'changed', damage: `UPDATE policy_documents SET tag = 'abcdefghijklmnop' WHERE name = 'a'` },
    { name: 'under a key that is gone', damage: `UPDATE policy_documents SET key_id = 'gone' WHERE name = 'a'` },
  ])('are forgotten when they were $name, until they are asked about again', async ({ damage }) => {
    const documents = repositoryOn(database, OLD);
    await documents.save([aDraft({ name: 'a' }), aDraft({ name: 'b' }, { size: 2 })]);
    await database.execute(damage);
    expect(await names(documents)).toEqual(['b']);
    await documents.save([aDraft({ name: 'a' })]);
    expect(await names(documents)).toEqual(['a', 'b']);
  });

  it('are left out while their key is not there, told of once, and open once it is', async () => {
    await repositoryOn(database, OLD, NEW).save([aDraft({ name: 'a' }), aDraft({ name: 'b' })]);
    logger.lines.length = 0;
    const documents = repositoryOn(database, OLD);
    expect(await names(documents)).toEqual([]);
    expect(await names(documents)).toEqual([]);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { keyId: NEW.keyId } }]);
    expect(await names(repositoryOn(database, OLD, NEW))).toEqual(['a', 'b']);
  });

  it('are told of again when their key goes another time', async () => {
    await repositoryOn(database, OLD, NEW).save([aDraft({ name: 'a' })]);
    const sealings = [[OLD], [OLD, NEW], [OLD]].map(
      (keys) => new DocumentSealing(new AesGcmSecretBox(new KeyRing(keys))),
    );
    const sealing = { open: (...values: Parameters<DocumentSealing['open']>) => sealings.shift()!.open(...values) };
    const documents = new PostgresDocumentRepository(database, sealing as DocumentSealing, logger);
    logger.lines.length = 0;
    for (const found of [[], ['a'], []]) expect(await names(documents)).toEqual(found);
    expect(logger.lines).toHaveLength(2);
  });

  it('do not open at all while a key is missing where they are to be whole', async () => {
    await repositoryOn(database, OLD).save([aDraft({ name: 'a' })]);
    await repositoryOn(database, OLD, NEW).save([aDraft({ name: 'b' })]);
    const cluster = { namespace: 'team-a', cluster: 'demo' };
    const all = async (documents: PostgresDocumentRepository): Promise<number> => {
      let count = 0;
      for await (const _ of documents.open({ cluster, isWhole: true })) count += 1;
      return count;
    };
    logger.lines.length = 0;
    const documents = repositoryOn(database, OLD);
    for (const _ of [1, 2])
      await expect(all(documents)).rejects.toMatchObject({ details: { reason: 'EncryptionKeyMissing' } });
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { keyId: NEW.keyId } }]);
    expect(await all(repositoryOn(database, OLD, NEW))).toBe(2);
  });

  it('go after their time while their key is not there, though somebody keeps them: their Cluster has a report again', async () => {
    await repositoryOn(database, OLD).save([aDraft({ name: 'a' })]);
    await repositoryOn(database, OLD, NEW).save([aDraft({ name: 'b' })]);
    await database.execute('UPDATE policy_documents SET seen_on = seen_on - 8', []);
    const documents = repositoryOn(database, OLD);
    await documents.save(['a', 'b'].map((name) => ({ key: aDraft({ name }).key })));
    await documents.removeUnseen(7 * 24 * 3_600_000);
    expect((await rows()).map(({ key_id }) => key_id)).toEqual([OLD.keyId]);
  });

  it('may be saved by two replicas at once, in any order', async () => {
    const drafts = Array.from({ length: 50 }, (_, index) => aDraft({ name: `n-${index}` }));
    const replicas = [repositoryOn(database, OLD), repositoryOn(database, OLD)];
    await Promise.all(replicas.map((one, index) => one.save(index === 0 ? drafts : drafts.toReversed())));
    expect(await rows()).toHaveLength(50);
  });
});
