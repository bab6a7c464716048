import { randomBytes } from 'node:crypto';
import { decrypt, encrypt } from './gcm.js';
import type { KeyProvider } from './key-provider.js';
import { SecretBox, type SealedSecret, type SecretBinding, type SecretFacts } from './secret-store.js';

const DATA_KEY_BYTES = 32;

/**
 * Envelope encryption: each record has its own AES-256-GCM data key, wrapped by a `KeyProvider`.
 * Owner, kind, serial, facts and key id are authenticated with the content, and all but the last with the wrapped key.
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

  /** Vouches for the newest version of a series. Never the same as a digest, whose input begins otherwise. */
  async headMac(head: SecretBinding & { readonly digest: string }, keyId: string): Promise<Uint8Array> {
    return this.keys.digest(encode({ head: [...fieldsOf(head), head.digest] }), keyId);
  }

  /** Whether what stands under the key can be read. */
  async knows(keyId: string): Promise<boolean> {
    return this.keys.knows(keyId);
  }

  /** The key that `seal` uses now. */
  async newestKeyId(): Promise<string> {
    return this.keys.newestKeyId();
  }

  /** That key, and newer ones that other replicas may use already: what stands under one of them is up to date. */
  async currentKeyIds(): Promise<readonly string[]> {
    return this.keys.currentKeyIds();
  }
}

type Field = string | number | readonly (readonly [string, string | number])[];

/** Records from before there were facts are bound to the first three alone. */
function fieldsOf({ ownerUid, kind, serial, facts }: SecretBinding): Field[] {
  return [ownerUid, kind, serial, ...(facts ? [sorted(facts)] : [])];
}

/** The database does not keep the order of keys. */
function sorted(facts: SecretFacts): (readonly [string, string | number])[] {
  return Object.entries(facts).sort(([left], [right]) => (left < right ? -1 : 1));
}

/** JSON of a list is unambiguous: no two bindings encode alike. */
function encode(fields: readonly Field[] | { readonly head: readonly Field[] }): Uint8Array {
  return Buffer.from(JSON.stringify(fields));
}
