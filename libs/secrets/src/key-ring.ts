import { createHmac, hkdfSync } from 'node:crypto';
import { unavailable } from '@crate/errors';
import { decrypt, encrypt, IV_BYTES, TAG_BYTES } from './gcm.js';
import { KeyProvider, type WrappedKey } from './key-provider.js';
import { keyMissing } from './missing-key.js';

/** A 256-bit key-encryption key. Ids sort by age: the greatest is the newest. */
export interface EncryptionKey {
  readonly keyId: string;
  readonly key: Uint8Array;
}

/** Key-encryption keys held in memory, for tests and as the inside of `FileKeyProvider`. */
export class KeyRing extends KeyProvider {
  private readonly keys: ReadonlyMap<string, Uint8Array>;
  private readonly newest: string | undefined;

  /** Without `wrapsWith` the newest key wraps. */
  constructor(keys: readonly EncryptionKey[], wrapsWith?: string) {
    super();
    this.keys = new Map(keys.map(({ keyId, key }) => [keyId, key]));
    this.newest = wrapsWith ?? [...this.keys.keys()].sort().at(-1);
  }

  async knows(keyId: string): Promise<boolean> {
    return Promise.resolve(this.keys.has(keyId));
  }

  async wrap(dataKey: Uint8Array, context: Uint8Array): Promise<WrappedKey> {
    const keyId = await this.newestKeyId();
    const { iv, tag, ciphertext } = encrypt(dataKey, this.keyOf(keyId), context);
    return { keyId, wrappedKey: Buffer.concat([iv, tag, ciphertext]) };
  }

  async unwrap({ keyId, wrappedKey }: WrappedKey, context: Uint8Array): Promise<Uint8Array> {
    const parts = {
      iv: wrappedKey.subarray(0, IV_BYTES),
      tag: wrappedKey.subarray(IV_BYTES, IV_BYTES + TAG_BYTES),
      ciphertext: wrappedKey.subarray(IV_BYTES + TAG_BYTES),
    };
    return Promise.resolve(decrypt(parts, this.keyOf(keyId), context));
  }

  async digest(content: Uint8Array, keyId: string): Promise<Uint8Array> {
    const key = Buffer.from(hkdfSync('sha256', this.keyOf(keyId), '', 'crate/secret-digest', 32));
    return Promise.resolve(createHmac('sha256', key).update(content).digest());
  }

  async newestKeyId(): Promise<string> {
    if (this.newest === undefined) throw unavailable('There is no encryption key');
    return Promise.resolve(this.newest);
  }

  async currentKeyIds(): Promise<readonly string[]> {
    const newest = await this.newestKeyId();
    return [...this.keys.keys()].filter((keyId) => keyId >= newest);
  }

  private keyOf(keyId: string): Uint8Array {
    const key = this.keys.get(keyId);
    if (!key) throw keyMissing(keyId);
    return key;
  }
}
