/** A token as it is kept. */
export interface StoredToken {
  readonly id: string;
  readonly digest: Buffer;
  readonly project: string;
  readonly projectUid: string;
  readonly name: string;
  readonly keyUid: string;
  readonly issuedBy: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt?: Date;
}

/** Names a key, whether it exists or not. */
export interface KeyName {
  readonly project: string;
  readonly name: string;
}

/** Tokens of API keys. */
export abstract class ApiKeyTokens {
  abstract find(id: string): Promise<StoredToken | undefined>;
  /** Every token of the name, also of keys that are gone; the newest first, of the same age the one that lasts. */
  abstract listOf(key: KeyName): Promise<readonly StoredToken[]>;
  /** Keeps a token, and has all others of the same key end at `othersEndAt` at the latest. One after the other for each key. */
  abstract add(token: StoredToken, othersEndAt: Date): Promise<void>;
  /** Notes a use, unless one after `notSince` is noted already; true when it was. */
  abstract touch(id: string, now: Date, notSince: Date): Promise<boolean>;
  abstract remove(ids: readonly string[]): Promise<void>;
}
