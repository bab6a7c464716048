/** A data key as stored beside what it encrypts. */
export interface WrappedKey {
  readonly keyId: string;
  readonly wrappedKey: Uint8Array;
}

/** Holds the key-encryption keys: files, or a key management service. Keys never leave it. */
export abstract class KeyProvider {
  /** Wraps a data key with the newest key that all replicas have; unwrapping needs the same `context`. */
  abstract wrap(dataKey: Uint8Array, context: Uint8Array): Promise<WrappedKey>;
  /** Throws Unavailable for a key it does not have (yet), Invariant when key or context were changed. */
  abstract unwrap(wrapped: WrappedKey, context: Uint8Array): Promise<Uint8Array>;
  /** Keyed digest (32 bytes) of `content` under the key `keyId`. Throws Unavailable for a key it does not have. */
  abstract digest(content: Uint8Array, keyId: string): Promise<Uint8Array>;
  /** Whether it has the key. */
  abstract knows(keyId: string): Promise<boolean>;
  /** The key that `wrap` uses now. */
  abstract newestKeyId(): Promise<string>;
  /** That key, and newer ones that other replicas may use already. */
  abstract currentKeyIds(): Promise<readonly string[]>;
}
