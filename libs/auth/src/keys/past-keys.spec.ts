import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '../testing/key-ring.js';
import { pastKeysPath } from './key-files.js';
import { bringPastKeys, forgetBroughtKeys, pastKeyFiles } from './past-keys.js';
import { rotateKey } from './rotate-key.js';

const SERVICE = 'lifecycle';
let ring: KeyRing;
let other: KeyRing;
beforeEach(async () => {
  [ring, other] = await Promise.all([KeyRing.make([SERVICE]), KeyRing.make([SERVICE])]);
});
afterEach(async () => {
  await Promise.all([ring.remove(), other.remove()]);
});

async function bring(move: string): Promise<void> {
  await bringPastKeys({ from: ring.directories.trustDir, to: other.directories.trustDir }, move);
}

describe('public keys of records', () => {
  it('are kept when a key is replaced, and taken for no token any more', async () => {
    const at = (seconds: number): Date => new Date(ring.nowMs + seconds * 1000);
    const first = ring.store(SERVICE).signingKey().kid;
    await rotateKey(ring.directories, SERVICE, at(1_000));
    await rotateKey(ring.directories, SERVICE, at(9_000));
    const store = ring.store('policy-mgmt');
    expect(store.findPublicKey(SERVICE, first)).toBeUndefined();
    expect(store.findRecordKey(SERVICE, first)).toBeDefined();
  });

  it('are brought to another installation, past ones too, and taken for no token there', async () => {
    const first = ring.store(SERVICE).signingKey().kid;
    await rotateKey(ring.directories, SERVICE, new Date(ring.nowMs + 1_000_000));
    const last = await rotateKey(ring.directories, SERVICE, new Date(ring.nowMs + 9_000_000));
    await bring('one');
    const once = await readFile(pastKeysPath(other.directories, SERVICE), 'utf8');
    await bring('one');
    expect(await readFile(pastKeysPath(other.directories, SERVICE), 'utf8')).toBe(once);
    expect(once).not.toContain('"d"');

    const store = other.store(SERVICE);
    const own = store.signingKey().kid;
    for (const kid of [first, last]) {
      expect([store.findPublicKey(SERVICE, kid), store.findRecordKey(SERVICE, kid)]).toEqual([
        undefined,
        ring.store(SERVICE).findRecordKey(SERVICE, kid),
      ]);
    }
    expect(store.findPublicKey(SERVICE, own)).toBeDefined();
  });

  it('are taken back by the move that brought them, and by no other', async () => {
    const { kid } = ring.store(SERVICE).signingKey();
    await bring('one');
    await forgetBroughtKeys(other.directories.trustDir, 'two');
    expect(other.store(SERVICE).findRecordKey(SERVICE, kid)).toBeDefined();
    await forgetBroughtKeys(other.directories.trustDir, 'one');
    expect(other.store(SERVICE).findRecordKey(SERVICE, kid)).toBeUndefined();
  });

  it('are handed out as the files that a Secret has', async () => {
    const { kid } = ring.store(SERVICE).signingKey();
    const files = await pastKeyFiles(ring.directories.trustDir);
    expect(Object.keys(files)).toEqual([`${SERVICE}.past.jwks.json`]);
    expect(JSON.parse(files[`${SERVICE}.past.jwks.json`] ?? '')).toMatchObject({ keys: [{ kid }] });
  });
});
