import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { badRequest, unauthenticated, unavailable } from '@crate/errors';
import { eventually } from '@crate/testing';
import { readCliEnvironment } from '../config.js';
import { CredentialStore, type Credential } from './credential-store.js';
import { currentTokens } from './current-tokens.js';
import type { Tokens } from './oidc-client.js';

const ID = 'credential';
let directory: string;
let store: CredentialStore;
let nowMs: number;
/** Refresh tokens the issuer was shown, in order. */
let shown: string[];
let answer: () => Tokens;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-credentials-'));
  store = new CredentialStore(directory);
  nowMs = 1_000_000;
  shown = [];
  answer = () => ({ idToken: 'fresh', refreshToken: `refresh-${shown.length}`, expiresAt: nowMs + 600_000 });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rm(directory, { recursive: true, force: true });
});

async function signedIn(expiresInMs: number, refreshToken?: string, further: Partial<Credential> = {}): Promise<void> {
  const tokens = { idToken: 'old', expiresAt: nowMs + expiresInMs, ...(refreshToken ? { refreshToken } : {}) };
  const offer = { name: 'corporate', issuer: 'https://login.example', clientId: 'crate', scopes: [] };
  await store.save(ID, { server: 'https://crate.example', context: 'work', offer, tokens, ...further });
}

async function current(): Promise<Tokens> {
  const refresh = (_credential: Credential, refreshToken: string): Promise<Tokens> => {
    shown.push(refreshToken);
    return new Promise((resolve) => setImmediate(() => resolve(answer())));
  };
  return currentTokens({ store, id: ID, now: () => nowMs, refresh });
}

describe('currentTokens', () => {
  it('gives a token that has a minute left as it is', async () => {
    await signedIn(61_000, 'refresh-0');
    expect((await current()).idToken).toBe('old');
    expect(shown).toEqual([]);
  });

  it('refreshes one that ends sooner, and keeps what it got', async () => {
    await signedIn(59_000, 'refresh-0');
    expect((await current()).idToken).toBe('fresh');
    expect((await store.find(ID))?.tokens).toMatchObject({ idToken: 'fresh', refreshToken: 'refresh-1' });
  });

  it('shows a refresh token once, however many ask at a time', async () => {
    await signedIn(0, 'refresh-0');
    const all = await Promise.all(Array.from({ length: 10 }, () => current()));
    expect(all.every(({ idToken }) => idToken === 'fresh')).toBe(true);
    expect(shown).toEqual(['refresh-0']);
  });

  it('is not stopped by the lock of a process that was killed', async () => {
    await signedIn(0, 'refresh-0');
    const lock = join(directory, `${ID}.json.lock`);
    await writeFile(lock, '');
    const longAgo = new Date(Date.now() - 120_000);
    await utimes(lock, longAgo, longAgo);
    expect((await current()).idToken).toBe('fresh');
  });

  it('says why a sign-in cannot be read', async () => {
    const path = join(directory, `${ID}.json`);
    await mkdir(path);
    await expect(current()).rejects.toMatchObject({
      code: 'BadRequest',
      message: `Cannot read ${path}: it is a folder`,
    });
  });

  it('makes do with the rest of a token while the issuer is away, and says so after it', async () => {
    await signedIn(30_000, 'refresh-0');
    const failing = { store, id: ID, now: () => nowMs, refresh: () => Promise.reject(unavailable('Away')) };
    expect((await currentTokens(failing)).idToken).toBe('old');
    nowMs += 30_000;
    await expect(currentTokens(failing)).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('stays signed out when the sign-in was ended while it waited for its turn', async () => {
    await signedIn(0, 'refresh-0');
    let waiting: Promise<unknown> = Promise.resolve();
    await store.alone(ID, async () => {
      waiting = expect(current()).rejects.toMatchObject({ code: 'Unauthenticated' });
      await eventually(async () => expect((await readdir(directory)).length).toBeGreaterThan(2));
      await store.remove(ID);
    });
    await waiting;
    expect([shown, await readdir(directory)]).toEqual([[], []]);
  });

  it('shows the issuer no refresh token while its successor cannot be kept, and makes do with the rest of the token', async () => {
    await signedIn(30_000, 'refresh-0');
    jest.spyOn(store, 'save').mockRejectedValue(badRequest('Cannot write: no space is left there'));
    expect((await current()).idToken).toBe('old');
    nowMs += 30_000;
    await expect(current()).rejects.toThrow('no space is left there');
    expect(shown).toEqual([]);
  });

  it('uses what it got although it cannot be kept', async () => {
    await signedIn(0, 'refresh-0');
    const save = jest.spyOn(store, 'save');
    save.mockResolvedValueOnce(undefined).mockRejectedValueOnce(badRequest('Cannot write'));
    const told = jest.spyOn(console, 'error').mockReturnValue(undefined);
    expect((await current()).idToken).toBe('fresh');
    expect(told).toHaveBeenCalledWith(expect.stringContaining('Cannot write'));
  });

  it.each([
    { name: 'the issuer refuses', given: () => signedIn(0, 'refresh-0') },
    { name: 'there is nothing to refresh with', given: () => signedIn(0) },
    { name: 'nobody signed in', given: () => Promise.resolve() },
  ])('asks to sign in again when $name', async ({ given }) => {
    await given();
    const refresh = (): Promise<Tokens> => Promise.reject(unauthenticated('refused'));
    await expect(currentTokens({ store, id: ID, now: () => nowMs, refresh })).rejects.toMatchObject({
      code: 'Unauthenticated',
      message: expect.stringContaining('crate login'),
    });
  });

  it.each([
    { name: 'of an older release', given: {}, want: '' },
    { name: 'of the usual kubeconfig', given: { kubeconfig: readCliEnvironment().kubeconfigs[0] ?? '' }, want: '' },
    {
      name: 'of one of several issuers, in a kubeconfig of its own',
      given: { issuer: 'corporate', kubeconfig: '/home/ada/my files/k.yaml' },
      want: " --issuer corporate --kubeconfig '/home/ada/my files/k.yaml'",
    },
  ])('says how to sign in again where it was: $name', async ({ given, want }) => {
    await signedIn(0, undefined, given);
    await expect(current()).rejects.toMatchObject({
      message: `Not signed in any more; run: crate login --server https://crate.example --context work${want}`,
    });
  });
});
