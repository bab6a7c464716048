import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { unavailable } from '@crate/errors';
import { AesGcmSecretBox, KeyRing, type SealedSecret, type SecretBinding } from '@crate/secrets';
import { SealedText } from './sealed-text.js';

const OLD = { keyId: '1', key: Buffer.alloc(32, 1) };
const NEW = { keyId: '2', key: Buffer.alloc(32, 2) };
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const CONTENT = { token: 'secret', groups: ['a', 'b'] };

function sealedWith(...keys: (typeof OLD)[]): SealedText {
  return new SealedText(new AesGcmSecretBox(new KeyRing(keys)), () => 0);
}

describe('sealed text', () => {
  it('opens at every replica, in letters that a cookie may hold', async () => {
    const text = await sealedWith(OLD).seal('session', CONTENT);
    expect(text).toMatch(/^[\w.-]+$/);
    expect(text).not.toContain('secret');
    expect(await sealedWith(OLD).open('session', text)).toEqual(CONTENT);
  });

  it('opens after a rotation until the old key goes, and is sealed with the new one', async () => {
    const text = await sealedWith(OLD).seal('session', CONTENT);
    expect(await sealedWith(OLD, NEW).open('session', text)).toEqual(CONTENT);
    expect(await sealedWith(NEW).open('session', text)).toBeUndefined();
    expect(await sealedWith(OLD, NEW).seal('session', CONTENT)).toMatch(/^2\./);
  });

  it('opens for its own use only', async () => {
    const text = await sealedWith(OLD).seal('sign-in', CONTENT);
    expect(await sealedWith(OLD).open('session', text)).toBeUndefined();
  });

  it('opens at its own place only', async () => {
    const sealed = sealedWith(OLD);
    const text = await sealed.seal('handover', CONTENT, 'here');
    expect(await sealed.open('handover', text, 'here')).toEqual(CONTENT);
    expect(await sealed.open('handover', text, 'there')).toBeUndefined();
    expect(await sealed.open('handover', text)).toBeUndefined();
  });

  // Of the last letter some bits mean nothing; how many depends on the length, so lengths of every remainder are tried.
  it.each(['', 'b', 'bc'])('does not open when any of its letters is another, with %j more', async (more) => {
    const sealed = sealedWith(OLD);
    const text = await sealed.seal('session', more + randomBytes(30).toString('hex'));
    for (let at = 2; at < text.length; at += 1) {
      const others = at === text.length - 1 ? LETTERS.replace(text.charAt(at), '') : text[at] === 'A' ? 'B' : 'A';
      for (const other of others) {
        expect(await sealed.open('session', text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined();
      }
    }
  });

  it.each(['.', '=', '.A', ' '])('does not open with %j behind it', async (tail) => {
    const sealed = sealedWith(OLD);
    expect(await sealed.open('session', (await sealed.seal('session', CONTENT)) + tail)).toBeUndefined();
  });

  it.each(['', '.', '1.', '1.AAAA', 'x', '1.AAEC.AA', '../../etc/passwd.AAAA'])('does not open %j', async (text) => {
    expect(await sealedWith(OLD).open('session', text)).toBeUndefined();
  });

  it('does not have strangers look for keys all the time, and keeps nobody waiting for it', async () => {
    const tried: string[] = [];
    const inner = new AesGcmSecretBox(new KeyRing([OLD]));
    const box = {
      seal: (plain: Uint8Array, binding: SecretBinding) => inner.seal(plain, binding),
      open: (sealed: SealedSecret, binding: SecretBinding) => {
        tried.push(sealed.keyId);
        return inner.open(sealed, binding);
      },
    };
    let now = 0;
    const sealed = new SealedText(box, () => now);
    await sealed.prepare();
    const good = await sealed.seal('session', CONTENT);
    for (let n = 0; n < 20; n += 1) await sealed.open('session', good.replace(/^1/, `strange-${n}`));
    expect(tried).toEqual(['strange-0']);
    now = 1_000;
    await sealed.open('session', good.replace(/^1/, 'strange-20'));
    expect(tried).toEqual(['strange-0', 'strange-20']);
    expect(await sealed.open('session', good)).toEqual(CONTENT);
  });

  it('says so when keys cannot be read, rather than signing everybody out', async () => {
    const inner = new AesGcmSecretBox(new KeyRing([OLD]));
    const box = {
      seal: (plain: Uint8Array, binding: SecretBinding) => inner.seal(plain, binding),
      open: () => Promise.reject(unavailable('The disk is away')),
    };
    const sealed = new SealedText(box);
    const text = await sealed.seal('session', CONTENT);
    await expect(sealed.open('session', text)).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
