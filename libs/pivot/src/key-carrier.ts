import type { KeyProvider } from '@crate/secrets';

/**
 * Brings the key-encryption keys of the source to the target, which are in the open on neither the way nor in any database, and the public keys that
 * records of the source were signed for.
 */
export abstract class KeyCarrier {
  /** The target can open what stands under the keys of the source, besides its own. Idempotent; `moveId` binds what travels to this move. */
  abstract carry(moveId: string): Promise<void>;
  /** Takes away again what `carry` brought. Idempotent. */
  abstract takeBack(moveId: string): Promise<void>;
  /** The keys that the target itself will open with, of the service that owns `schema`. */
  abstract targetKeys(schema: string): Promise<KeyProvider>;
}
