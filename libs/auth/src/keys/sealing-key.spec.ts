import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '../testing/key-ring.js';
import { openingKeysPath, sealingKeysPath } from './key-files.js';
import { ensureSealingKey, rotateSealingKey } from './rotate-sealing-key.js';

const OWNER = 'cloud-mgmt';
let ring: KeyRing;

beforeEach(async () => {
  ring = await KeyRing.make([OWNER]);
});

afterEach(async () => ring.remove());

function at(seconds: number): Date {
  return new Date(ring.nowMs + seconds * 1000);
}

describe('ensureSealingKey', () => {
  it('keeps the key that is there', async () => {
    const before = ring.store('lifecycle').findSealingKey(OWNER)?.kid;
    expect(await ensureSealingKey(ring.directories, OWNER)).toBe(before);
    expect(ring.store('lifecycle').findSealingKey(OWNER)?.kid).toBe(before);
  });

  it('publishes the public half again when it got lost', async () => {
    const before = ring.store('lifecycle').findSealingKey(OWNER)?.kid;
    await rm(sealingKeysPath(ring.directories, OWNER));
    await ensureSealingKey(ring.directories, OWNER);
    expect(ring.store('lifecycle').findSealingKey(OWNER)?.kid).toBe(before);
  });

  it('writes the private half for the owner only, and no private number into the public one', async () => {
    const { mode } = await stat(openingKeysPath(ring.directories, OWNER));
    expect(mode & 0o777).toBe(0o600);
    expect(await readFile(sealingKeysPath(ring.directories, OWNER), 'utf8')).not.toContain('"d"');
  });
});

describe('rotateSealingKey', () => {
  it('opens with old keys while somebody may seal with them, and forgets them at the next rotation after that', async () => {
    const store = ring.store(OWNER);
    const first = ring.store('lifecycle').findSealingKey(OWNER)?.kid ?? '';
    const second = await rotateSealingKey(ring.directories, OWNER, at(10_000));
    const third = await rotateSealingKey(ring.directories, OWNER, at(10_100));
    for (const kid of [first, second, third]) expect(store.findOpeningKey(kid)).toBeDefined();

    const fourth = await rotateSealingKey(ring.directories, OWNER, at(20_000));
    const later = ring.store(OWNER);
    for (const kid of [third, fourth]) expect(later.findOpeningKey(kid)).toBeDefined();
    for (const kid of [first, second]) expect(later.findOpeningKey(kid)).toBeUndefined();
  });

  it('is picked up by senders after some seconds, and by the owner at once', async () => {
    const [sender, owner] = [ring.store('lifecycle'), ring.store(OWNER)];
    const before = sender.findSealingKey(OWNER)?.kid;
    expect(owner.findOpeningKey(before ?? '')).toBeDefined();
    const after = await rotateSealingKey(ring.directories, OWNER, at(1));
    expect(sender.findSealingKey(OWNER)?.kid).toBe(before);
    expect(owner.findOpeningKey(after)).toBeDefined();
    ring.passSeconds(10);
    expect(sender.findSealingKey(OWNER)?.kid).toBe(after);
  });
});

describe('FileKeyStore', () => {
  it('knows no key of a service that published none', () => {
    expect(ring.store('lifecycle').findSealingKey('policy-mgmt')).toBeUndefined();
  });

  it('refuses private keys that others can read', async () => {
    await chmod(openingKeysPath(ring.directories, OWNER), 0o640);
    expect(() => ring.store(OWNER).findOpeningKey('any')).toThrow(expect.objectContaining({ code: 'Invariant' }));
  });

  it('never shows what a broken key file holds', async () => {
    await writeFile(openingKeysPath(ring.directories, OWNER), 'hunter2');
    expect(() => ring.store(OWNER).findOpeningKey('any')).toThrow(/^(?!.*hunter2)/);
  });
});
