import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KeyRing } from '../testing/key-ring.js';
import { FileKeyStore } from './file-key-store.js';
import { privateKeyPath, publicKeysPath, readJwks } from './key-files.js';
import { ensureKeyPair, rotateKey } from './rotate-key.js';

const SERVICE = 'lifecycle';
let ring: KeyRing;

beforeEach(async () => {
  ring = await KeyRing.make([SERVICE]);
});

afterEach(async () => ring.remove());

async function trustedIds(): Promise<string[]> {
  const { keys } = await readJwks(publicKeysPath(ring.directories, SERVICE));
  return keys.map((key) => key.kid);
}

describe('ensureKeyPair', () => {
  it('keeps the key pair that is there', async () => {
    const before = ring.store(SERVICE).signingKey().kid;
    expect(await ensureKeyPair(ring.directories, SERVICE)).toBe(before);
    expect(await trustedIds()).toEqual([before]);
  });

  it('publishes the public half again when it got lost', async () => {
    const before = ring.store(SERVICE).signingKey().kid;
    await rm(publicKeysPath(ring.directories, SERVICE));
    await ensureKeyPair(ring.directories, SERVICE);
    expect(await trustedIds()).toEqual([before]);
  });

  it('writes the private half for the owner only, and no private number into the public one', async () => {
    const { mode } = await stat(privateKeyPath(ring.directories, SERVICE));
    expect(mode & 0o777).toBe(0o600);
    const text = await readFile(publicKeysPath(ring.directories, SERVICE), 'utf8');
    expect(text).not.toContain('"d"');
  });
});

describe('rotateKey', () => {
  it('keeps the old key trusted while its tokens can be alive, and drops it at the next rotation after that', async () => {
    const at = (seconds: number): Date => new Date(ring.nowMs + seconds * 1000);
    const first = ring.store(SERVICE).signingKey().kid;
    const second = await rotateKey(ring.directories, SERVICE, at(1000));
    const third = await rotateKey(ring.directories, SERVICE, at(1010));
    expect(await trustedIds()).toEqual([third, second, first]);

    const fourth = await rotateKey(ring.directories, SERVICE, at(9000));
    expect(await trustedIds()).toEqual([fourth, third]);
  });

  it('keeps the key that is in use trusted, however long ago an earlier rotation published another and was cut short', async () => {
    const at = (seconds: number): Date => new Date(ring.nowMs + seconds * 1000);
    const path = privateKeyPath(ring.directories, SERVICE);
    const pem = await readFile(path, 'utf8');
    const first = ring.store(SERVICE).signingKey().kid;
    await rotateKey(ring.directories, SERVICE, at(1000));
    await writeFile(path, pem);

    const third = await rotateKey(ring.directories, SERVICE, at(9000));
    expect(await trustedIds()).toEqual([third, first]);
  });
});

describe('FileKeyStore', () => {
  it('refuses a private key that others can read', async () => {
    await chmod(privateKeyPath(ring.directories, SERVICE), 0o640);
    expect(() => ring.store(SERVICE).signingKey()).toThrow(expect.objectContaining({ code: 'Invariant' }));
  });

  it('never shows what a broken key file holds', async () => {
    await writeFile(privateKeyPath(ring.directories, SERVICE), 'hunter2');
    expect(() => ring.store(SERVICE).signingKey()).toThrow(/^(?!.*hunter2)/);
  });

  it('finds a key that was published after the first look, without waiting', async () => {
    const store = ring.store('policy-mgmt');
    expect(store.findPublicKey(SERVICE, 'unknown')).toBeUndefined();
    const kid = await rotateKey(ring.directories, SERVICE);
    expect(store.findPublicKey(SERVICE, kid)).toBeDefined();
  });

  it('moves its version when trusted keys change, and only then', async () => {
    const store = ring.store('policy-mgmt');
    store.findPublicKey(SERVICE, ring.store(SERVICE).signingKey().kid);
    const before = store.version;
    ring.passSeconds(10);
    store.refresh();
    expect(store.version).toBe(before);

    await rm(publicKeysPath(ring.directories, SERVICE));
    ring.passSeconds(10);
    store.refresh();
    expect(store.version).toBeGreaterThan(before);
  });

  it('looks again after as long as ever where the clock was set back', async () => {
    const store = new FileKeyStore(ring.directories, 'policy-mgmt');
    const { kid } = ring.store(SERVICE).signingKey();
    expect(store.findPublicKey(SERVICE, kid)).toBeDefined();
    await rm(publicKeysPath(ring.directories, SERVICE));
    const passed = performance.now() + 10_000;
    const clocks = [
      jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000),
      jest.spyOn(performance, 'now').mockReturnValue(passed),
    ];
    try {
      expect(store.findPublicKey(SERVICE, kid)).toBeUndefined();
    } finally {
      for (const clock of clocks) clock.mockRestore();
    }
  });

  it('ignores keys of another kind in a JWKS', async () => {
    const { keys } = await readJwks(publicKeysPath(ring.directories, SERVICE));
    const secret = { kty: 'oct', k: 'c2VjcmV0', kid: 'symmetric', use: 'sig', alg: 'HS256' };
    await writeFile(publicKeysPath(ring.directories, SERVICE), JSON.stringify({ keys: [secret, ...keys] }));
    const store = ring.store('policy-mgmt');
    expect(store.findPublicKey(SERVICE, 'symmetric')).toBeUndefined();
    expect(store.findPublicKey(SERVICE, keys[0]?.kid ?? '')).toBeDefined();
  });
});
