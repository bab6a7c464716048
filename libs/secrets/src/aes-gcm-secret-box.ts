import { randomBytes } from 'node:crypto';
import { decrypt, encrypt } from './gcm.js';
import type { KeyProvider } from './key-provider.js';
import { SecretBox, type SealedSecret, type SecretBinding } from './secret-store.js';

const DATA_KEY_BYTES = 32;

/**
 * Envelope encryption: each record has its own AES-256-GCM data key, wrapped by a `KeyProvider`.
 * Owner, kind, serial and key id are authenticated with the content, and the first three with the wrapped key.
 */
export class AesGcmSecretBox extends SecretBox {
  constructor(private readonly keys: KeyProvider) {
    super();
  }

  async seal(plain: Uint8Array, binding: SecretBinding): Promise<SealedSecret> {
    const dataKey = randomBytes(DATA_KEY_BYTES);
    try {
      const { keyId, wrappedKey } = await this.keys.wrap(dataKey, encode(fieldsOf(binding)));
      return { keyId, wrappedKey, ...encrypt(plain, dataKey, encode([...fieldsOf(binding), keyId])) };
    } finally {
      dataKey.fill(0);
    }
  }

  async open(sealed: SealedSecret, binding: SecretBinding): Promise<Uint8Array> {
    const dataKey = await this.keys.unwrap(sealed, encode(fieldsOf(binding)));
    try {
      return decrypt(sealed, dataKey, encode([...fieldsOf(binding), sealed.keyId]));
    } finally {
      dataKey.fill(0);
    }
  }

  /** Tells whether two contents of one owner and kind are the same; means nothing across owners, kinds or keys. */
  async digest(plain: Uint8Array, binding: Omit<SecretBinding, 'serial'>, keyId: string): Promise<Uint8Array> {
    return this.keys.digest(Buffer.concat([encode([binding.ownerUid, binding.kind]), plain]), keyId);
  }

  /** The key that `seal` uses now. */
  async newestKeyId(): Promise<string> {
    return this.keys.newestKeyId();
  }
}

function fieldsOf(binding: SecretBinding): (string | number)[] {
  return [binding.ownerUid, binding.kind, binding.serial];
}

/** JSON of a list is unambiguous: no two bindings encode alike. */
function encode(fields: readonly (string | number)[]): Uint8Array {
  return Buffer.from(JSON.stringify(fields));
}
