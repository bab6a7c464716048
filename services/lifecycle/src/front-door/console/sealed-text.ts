import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { hasCode } from '@crate/errors';
import type { SecretBinding, SecretBox } from '@crate/secrets';

/** What a sealed text is for; one that was made for another use does not open. */
export type SealedUse = 'session' | 'sign-in' | 'sign-out' | 'handover';

const KEY_ID = /^[\w-]{1,64}$/;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** An id of a key that nobody knows has the keys read again, which strangers must not be able to have done all the time. */
const STRANGE_KEY_PAUSE_MS = 1_000;

/**
 * Seals what browsers and the database keep for this service, with the key-encryption keys that the service has anyway: the same at
 * every replica, kept over restarts, and rotated as they are (AES-256-GCM, a data key for each text).
 */
export class SealedText {
  private readonly knownKeys = new Set<string>();
  private strangeKeyAt = -Infinity;

  constructor(
    private readonly box: SecretBox,
    private readonly now: () => number = Date.now,
  ) {}

  /** Learns the newest key, so that what stands under it is never kept waiting by strangers' inventions. */
  async prepare(): Promise<void> {
    await this.seal('session', '');
  }

  /** Letters that a cookie may hold. With a `place`, it opens as what lies there only. */
  async seal(use: SealedUse, content: unknown, place?: string): Promise<string> {
    // Tokens are text of 64 letters, and sealed text is again: without this each would add a third.
    const plain = await promisify(deflateRaw)(Buffer.from(JSON.stringify(content)));
    const { keyId, wrappedKey, iv, tag, ciphertext } = await this.box.seal(plain, bindingOf(use, place));
    this.knownKeys.add(keyId);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(wrappedKey.length);
    return `${keyId}.${Buffer.concat([length, wrappedKey, iv, tag, ciphertext]).toString('base64url')}`;
  }

  /** Undefined for what was changed, was sealed for another use or elsewhere, or under a key that is gone. Throws when keys cannot be read. */
  async open(use: SealedUse, text: string, place?: string): Promise<unknown> {
    const [keyId = ''] = text.split('.', 1);
    const bytes = Buffer.from(text.slice(keyId.length + 1), 'base64url');
    // Decoding forgives: bits beyond the last byte, foreign letters. A sealed text has one spelling only.
    if (`${keyId}.${bytes.toString('base64url')}` !== text) return undefined;
    const start = 2 + (bytes.length > 2 ? bytes.readUInt16BE(0) : 0);
    if (!KEY_ID.test(keyId) || bytes.length < start + IV_BYTES + TAG_BYTES || !this.mayTry(keyId)) return undefined;
    const sealed = {
      keyId,
      wrappedKey: bytes.subarray(2, start),
      iv: bytes.subarray(start, start + IV_BYTES),
      tag: bytes.subarray(start + IV_BYTES, start + IV_BYTES + TAG_BYTES),
      ciphertext: bytes.subarray(start + IV_BYTES + TAG_BYTES),
    };
    try {
      const plain = await this.box.open(sealed, bindingOf(use, place));
      this.knownKeys.add(keyId);
      return JSON.parse((await promisify(inflateRaw)(plain)).toString('utf8')) as unknown;
    } catch (error) {
      if (hasCode(error, 'Invariant') || !this.knownKeys.has(keyId)) return undefined;
      throw error;
    }
  }

  private mayTry(keyId: string): boolean {
    if (this.knownKeys.has(keyId)) return true;
    const now = this.now();
    if (now - this.strangeKeyAt < STRANGE_KEY_PAUSE_MS) return false;
    this.strangeKeyAt = now;
    return true;
  }
}

function bindingOf(use: SealedUse, place?: string): SecretBinding {
  const ownerUid = place === undefined ? 'console' : createHash('sha256').update(place).digest('hex');
  return { ownerUid, kind: `console-${use}`, serial: 1 };
}
