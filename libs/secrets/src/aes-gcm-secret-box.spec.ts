import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AesGcmSecretBox, KeyRing, type SealedSecret } from './index.js';

const box = new AesGcmSecretBox(
  new KeyRing([
    { keyId: 'k1', key: randomBytes(32) },
    { keyId: 'k2', key: randomBytes(32) },
  ]),
);
const binding = { ownerUid: 'a', kind: 'state', serial: 1 };
const plain = new TextEncoder().encode('one');

const flip = (bytes: Uint8Array): Uint8Array => bytes.map((byte, index) => (index === 0 ? byte ^ 1 : byte));

describe('AesGcmSecretBox', () => {
  it('opens what it sealed', async () => {
    expect(Buffer.from(await box.open(await box.seal(plain, binding), binding)).toString()).toBe('one');
  });

  it('seals the same content differently each time', async () => {
    const [one, two] = await Promise.all([box.seal(plain, binding), box.seal(plain, binding)]);

    expect(Buffer.from(one.ciphertext).equals(two.ciphertext)).toBe(false);
    expect(Buffer.from(one.wrappedKey).equals(two.wrappedKey)).toBe(false);
  });

  it.each([
    { name: 'owner', other: { ...binding, ownerUid: 'b' } },
    { name: 'kind', other: { ...binding, kind: 'key' } },
    { name: 'serial', other: { ...binding, serial: 2 } },
    { name: 'a shift of text between fields', other: { ...binding, ownerUid: 'a","state', kind: '' } },
  ])('does not open under another $name', async ({ other }) => {
    await expect(box.open(await box.seal(plain, binding), other)).rejects.toMatchObject({ code: 'Invariant' });
  });

  it.each(['wrappedKey', 'iv', 'tag', 'ciphertext'] as const)('does not open with a changed %s', async (part) => {
    const sealed = await box.seal(plain, binding);
    const changed: SealedSecret = { ...sealed, [part]: flip(sealed[part]) };

    await expect(box.open(changed, binding)).rejects.toMatchObject({ code: 'Invariant' });
  });

  it('does not open under another key id', async () => {
    const sealed = await box.seal(plain, binding);

    await expect(box.open({ ...sealed, keyId: 'k1' }, binding)).rejects.toMatchObject({ code: 'Invariant' });
    await expect(box.open({ ...sealed, keyId: 'k9' }, binding)).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('gives digests that mean something for one owner, kind and key only', async () => {
    const digests = await Promise.all([
      box.digest(plain, binding, 'k1'),
      box.digest(plain, binding, 'k2'),
      box.digest(plain, { ...binding, ownerUid: 'b' }, 'k1'),
      box.digest(plain, { ...binding, kind: 'key' }, 'k1'),
    ]);

    expect(new Set(digests.map((digest) => Buffer.from(digest).toString('hex'))).size).toBe(4);
    expect(await box.digest(plain, { ...binding }, 'k1')).toEqual(digests[0]);
  });
});
