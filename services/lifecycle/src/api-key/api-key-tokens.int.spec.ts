import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database, migrate } from '@crate/database';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { LIFECYCLE_MIGRATIONS } from '../migrations.js';
import { InMemoryApiKeyTokens } from '../testing/in-memory-api-key-tokens.js';
import type { ApiKeyTokens, StoredToken } from './api-key.repository.js';
import { makeToken } from './api-key.token.js';
import { PostgresApiKeyTokens } from './postgres-api-key-tokens.js';

const AT = new Date('2026-01-01T00:00:00Z');
const later = (seconds: number): Date => new Date(AT.getTime() + seconds * 1000);

let postgres: PostgresServer;
let database: Database | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => postgres.stop());

function aToken(changes: Partial<StoredToken> = {}): StoredToken {
  const { id, digest } = makeToken();
  return {
    ...{ id, digest, project: 'team-a', projectUid: 'p1', name: 'ci', keyUid: 'k1' },
    ...{ issuedBy: 'ada', issuedAt: AT, expiresAt: later(3600) },
    ...changes,
  };
}

interface Adapter {
  readonly name: string;
  readonly open: () => Promise<ApiKeyTokens>;
}

const adapters: readonly Adapter[] = [
  { name: 'in memory', open: () => Promise.resolve(new InMemoryApiKeyTokens()) },
  {
    name: 'in Postgres',
    open: async () => {
      const { url } = await postgres.createDatabase();
      await migrate({ url, schema: 'lifecycle', directories: [LIFECYCLE_MIGRATIONS] });
      database = new Database({ url, schema: 'lifecycle' });
      return new PostgresApiKeyTokens(database);
    },
  },
];

describe.each(adapters)('tokens of API keys, kept $name', ({ open }) => {
  let tokens: ApiKeyTokens;
  beforeEach(async () => {
    tokens = await open();
  });
  afterEach(async () => database?.close());

  it('are found as they were added', async () => {
    const token = aToken();
    await tokens.add(token, AT);
    expect(await tokens.find(token.id)).toEqual(token);
    expect(await tokens.find('unknown')).toBeUndefined();
  });

  it('end when another one comes, those of the same key alone, and never later than they would', async () => {
    const [first, short, other] = [aToken(), aToken({ expiresAt: later(5) }), aToken({ keyUid: 'k2' })];
    for (const token of [first, short, other]) await tokens.add(token, later(3600));
    await tokens.add(aToken(), later(60));
    expect((await tokens.find(first.id))?.expiresAt).toEqual(later(60));
    expect((await tokens.find(short.id))?.expiresAt).toEqual(later(5));
    expect((await tokens.find(other.id))?.expiresAt).toEqual(later(3600));
  });

  it('asked for at the same time leave one that is good', async () => {
    const many = Array.from({ length: 8 }, () => aToken());
    await Promise.all(many.map((token) => tokens.add(token, AT)));
    const good = (await tokens.listOf({ project: 'team-a', name: 'ci' })).filter(({ expiresAt }) => expiresAt > AT);
    expect(good).toHaveLength(1);
  });

  it('are listed by name, the newest first, and forgotten by id', async () => {
    const [old, young] = [aToken(), aToken({ issuedAt: later(1), keyUid: 'k2' })];
    for (const token of [old, young, aToken({ name: 'cd' })]) await tokens.add(token, AT);
    const listed = async (): Promise<readonly string[]> =>
      (await tokens.listOf({ project: 'team-a', name: 'ci' })).map(({ id }) => id);
    expect(await listed()).toEqual([young.id, old.id]);
    await tokens.remove([old.id, 'unknown']);
    expect(await listed()).toEqual([young.id]);
  });

  it('note a use once in a while', async () => {
    const token = aToken();
    await tokens.add(token, AT);
    const touch = (at: number, notSince: number): Promise<boolean> =>
      tokens.touch(token.id, later(at), later(notSince));
    expect([await touch(1, -300), await touch(2, -299), await touch(400, 100)]).toEqual([true, false, true]);
    expect((await tokens.find(token.id))?.lastUsedAt).toEqual(later(400));
    expect(await tokens.touch('unknown', AT, AT)).toBe(false);
  });
});
