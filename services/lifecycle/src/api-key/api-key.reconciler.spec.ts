import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiKey } from '@crate/api';
import type { Outcome } from '@crate/reconcile';
import { anApiKey } from '../testing/an-api-key.js';
import { InMemoryApiKeyTokens } from '../testing/in-memory-api-key-tokens.js';
import { ApiKeyReconciler } from './api-key.reconciler.js';
import type { StoredToken } from './api-key.repository.js';
import { makeToken } from './api-key.token.js';

let now: Date;
let tokens: InMemoryApiKeyTokens;
let key: ApiKey | undefined;
let writes: number;

beforeEach(() => {
  now = new Date('2026-01-01T00:00:00Z');
  tokens = new InMemoryApiKeyTokens();
  key = anApiKey();
  writes = 0;
});

const client = {
  find: (): Promise<ApiKey | undefined> => Promise.resolve(key),
  saveStatus: (object: ApiKey, status: unknown): Promise<ApiKey> => {
    writes += 1;
    key = { ...object, status } as ApiKey;
    return Promise.resolve(key);
  },
};

async function pass(): Promise<Outcome> {
  return new ApiKeyReconciler(client, tokens, () => now).reconcile({ namespace: 'team-a', name: 'ci' });
}

async function issue(changes: Partial<StoredToken> = {}): Promise<StoredToken> {
  const { id, digest } = makeToken();
  const token = {
    ...{ id, digest, project: 'team-a', projectUid: 'p1', name: 'ci', keyUid: 'uid-ci', issuedBy: 'ada' },
    ...{ issuedAt: now, expiresAt: new Date(now.getTime() + 3_600_000), ...changes },
  };
  await tokens.add(token, now);
  return token;
}

function passHours(hours: number): void {
  now = new Date(now.getTime() + hours * 3_600_000);
}

describe('ApiKeyReconciler', () => {
  it.each([
    { reason: 'NotIssued', given: () => Promise.resolve(), status: 'False' },
    { reason: 'Issued', given: () => issue(), status: 'True' },
    { reason: 'Expired', given: () => issue().then(() => passHours(1)), status: 'False' },
    { reason: 'Disabled', given: () => issue().then(() => (key = anApiKey({ disabled: true }))), status: 'False' },
    {
      reason: 'Expired',
      given: () => issue().then(() => (key = anApiKey({ expiresAt: now.toISOString() }))),
      status: 'False',
    },
  ])('says $reason, and writes it once', async ({ given, reason, status }) => {
    await given();
    await pass();
    await pass();
    expect(key?.status?.conditions).toMatchObject([{ type: 'Ready', reason, status }]);
    expect(writes).toBe(1);
  });

  it('is not ready while it is being deleted and somebody holds it: its tokens are refused', async () => {
    await issue();
    const held = anApiKey();
    key = {
      ...held,
      metadata: { ...held.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/x'] },
    };
    await pass();
    expect(key.status?.conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'Deleting' }]);
  });

  it('looks again when the token ends, at the latest after half a day', async () => {
    await issue();
    expect(await pass()).toMatchObject({ kind: 'waiting', retryAfterMs: 3_601_000 });
    await issue({ expiresAt: new Date(now.getTime() + 90 * 86_400_000) });
    expect(await pass()).toMatchObject({ kind: 'waiting', retryAfterMs: 12 * 3_600_000 });
    passHours(91 * 24);
    expect(await pass()).toEqual({ kind: 'settled' });
  });

  it('forgets tokens that can never be good again, but not when they were used last', async () => {
    const first = await issue();
    await tokens.touch(first.id, now, now);
    await pass();
    passHours(2);
    const second = await issue();
    await pass();
    expect([...tokens.all.keys()]).toEqual([second.id]);
    expect(key?.status?.lastUsedAt).toBe('2026-01-01T00:00:00Z');
  });

  it('keeps an earlier token through its overlap', async () => {
    const first = await issue();
    passHours(0.1);
    const second = await issue();
    tokens.all.set(first.id, { ...first, expiresAt: new Date(now.getTime() + 60_000) });
    await pass();
    expect([...tokens.all.keys()].sort()).toEqual([first.id, second.id].sort());
  });

  it('forgets the tokens of a key that is gone, and those of a namesake before it', async () => {
    await issue({ keyUid: 'another' });
    await pass();
    expect(tokens.all.size).toBe(0);
    expect(key?.status?.conditions).toMatchObject([{ reason: 'NotIssued' }]);
    await issue();
    key = undefined;
    expect(await pass()).toEqual({ kind: 'settled', isGone: true });
    expect(tokens.all.size).toBe(0);
  });
});
