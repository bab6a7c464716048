/** What a sealed value is bound to; opening under another binding fails. */
export interface SecretBinding {
  readonly ownerUid: string;
  /** What it is, such as `ssh-private-key`, `terraform-state`, `kubeconfig`. */
  readonly kind: string;
  /** Version within (ownerUid, kind); rolling a record back is detected. */
  readonly serial: number;
}

/** An encrypted value as stored: ciphertext and everything needed to open it but the key-encryption key. */
export interface SealedSecret {
  readonly keyId: string;
  readonly wrappedKey: Uint8Array;
  readonly iv: Uint8Array;
  readonly tag: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** Envelope encryption: AES-256-GCM, one data key per record, wrapped by a key provider's key. */
export abstract class SecretBox {
  abstract seal(plain: Uint8Array, binding: SecretBinding): Promise<SealedSecret>;
  /** Throws Invariant when the record was changed, swapped or rolled back. */
  abstract open(sealed: SealedSecret, binding: SecretBinding): Promise<Uint8Array>;
}

export interface SecretVersion {
  readonly serial: number;
  readonly createdAt: Date;
  readonly size: number;
}

/** Versioned encrypted blobs by owner: SSH keys, kubeconfigs, Terraform and engine state, credentials. */
export abstract class SecretStore {
  /** Stores the next version unless the newest is the same content; gives its serial. `epoch` fences stale writers: an older one throws Conflict. */
  abstract put(ownerUid: string, kind: string, plain: Uint8Array, epoch?: bigint): Promise<number>;
  /** The newest version, or undefined. */
  abstract find(
    ownerUid: string,
    kind: string,
  ): Promise<{ readonly serial: number; readonly plain: Uint8Array } | undefined>;
  abstract versions(ownerUid: string, kind: string): Promise<readonly SecretVersion[]>;
  /** Removes every version of every kind that the owner has. Idempotent. */
  abstract removeOwner(ownerUid: string): Promise<void>;
  /** How many owners hold anything, for "nothing is left" checks. */
  abstract countOwners(): Promise<number>;
}
