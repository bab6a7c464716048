/** What a content is, beyond whose and which: such as the lineage and serial of a Terraform state. No secrets: they are stored readable. */
export type SecretFacts = Readonly<Record<string, string | number>>;

/** What a sealed value is bound to; opening under another binding fails. */
export interface SecretBinding {
  readonly ownerUid: string;
  /** What it is, such as `ssh-private-key`, `terraform-state`, `kubeconfig`. */
  readonly kind: string;
  /** Version within (ownerUid, kind); rolling a record back is detected. */
  readonly serial: number;
  /** Absent in records from before there were any. */
  readonly facts?: SecretFacts;
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

/** What is known of a version that nobody opened. */
export interface SecretVersion {
  readonly serial: number;
  readonly createdAt: Date;
  /** Bytes. */
  readonly size: number;
  /** Undefined for versions from before there were any. Only opening the version proves them. */
  readonly facts: SecretFacts | undefined;
}

/** A version that was opened: facts and content are as they were stored. */
export interface OpenedSecret {
  readonly serial: number;
  readonly plain: Uint8Array;
  readonly facts: SecretFacts | undefined;
  /** Epoch of whoever stated it last, as the version is bound to it; undefined when that had none, and in versions from before it was bound. */
  readonly fence?: bigint | undefined;
}

/** Without any the content becomes the newest version, whoever else wrote meanwhile. */
export interface PutOptions {
  /** Fences stale writers: an older one throws Conflict. */
  readonly epoch?: bigint;
  /** Serial of the version that this was made from, 0: of none. Throws Conflict when another one is the newest by now. */
  readonly after?: number;
  /** Makes a version also of the same content, which is as young as this write then. */
  readonly isAnew?: boolean;
  /** What the content is bound to, given its serial and the facts of the version before. `lineage` and `serial` name damages, `run` who wrote it. */
  readonly facts?: (serial: number, before: SecretFacts | undefined) => SecretFacts;
  /**
   * Writes over a damaged newest version, for a person who has looked at it; the new serial is greater than `above` and than every
   * serial there is a trace of.
   */
  readonly heal?: { readonly above: number };
}

/**
 * Versioned encrypted blobs by owner: SSH keys, kubeconfigs, Terraform and engine state, credentials.
 * What was changed, swapped, set back or taken from elsewhere since it was stored is refused: see `secretDamageOf`.
 */
export abstract class SecretStore {
  /**
   * Stores the next version unless the newest is the same content; gives its serial. Forgets the oldest: the newest versions are kept, and
   * of as many runs the last one. Throws Conflict for an older epoch and for another version than `after`, and
   * Invariant when the newest version is damaged.
   */
  abstract put(ownerUid: string, kind: string, plain: Uint8Array, options?: PutOptions): Promise<number>;
  /** The newest version, or undefined. Throws Invariant when it is damaged. */
  abstract find(ownerUid: string, kind: string): Promise<OpenedSecret | undefined>;
  /** One version, or undefined when it is not kept. Throws Invariant when it is damaged. */
  abstract findVersion(ownerUid: string, kind: string, serial: number): Promise<OpenedSecret | undefined>;
  /** Oldest first. */
  abstract versions(ownerUid: string, kind: string): Promise<readonly SecretVersion[]>;
  /**
   * Removes the kinds of an owner, other than `kept`, of which nothing was stored for `olderThanMs`, once `kept` is as old: until it came,
   * another one was in use. Idempotent.
   */
  abstract removeOthers(ownerUid: string, kept: string | undefined, olderThanMs: number): Promise<void>;
  /** Removes every version of every kind that the owner has. Idempotent. */
  abstract removeOwner(ownerUid: string): Promise<void>;
  /** How many owners hold anything, for "nothing is left" checks. */
  abstract countOwners(): Promise<number>;
}
