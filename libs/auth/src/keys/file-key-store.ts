import type { KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { invariant } from '@crate/errors';
import { privateKeyPath, publicKeysPath, type KeyDirectories } from './key-files.js';
import { parsePublicKeys, parseSigningKey, type Jwks, type SigningKey } from './key-pair.js';

/** How long a look at a file's stamp is good for; a revoked key is refused at the latest after this time. */
const CHECK_EVERY_MS = 5000;

interface Loaded<T> {
  readonly stamp: string;
  readonly value: T;
  checkedAt: number;
}

/**
 * Keys of one service and of everyone it trusts, read from files and parsed once. Picks up changed files by itself.
 * Reads are synchronous: they happen when a file changed, and a stat costs less than the signature check beside it.
 */
export class FileKeyStore {
  private signing: Loaded<SigningKey> | undefined;
  private readonly trusted = new Map<string, Loaded<ReadonlyMap<string, KeyObject>>>();
  private reloads = 0;

  constructor(
    private readonly directories: KeyDirectories,
    private readonly service: string,
    private readonly now: () => number = Date.now,
  ) {}

  /** Moves when any trusted key was added or taken away, so that what was verified before can be forgotten. */
  get version(): number {
    return this.reloads;
  }

  /** The newest private key of this service. Throws Invariant when it is missing, malformed or readable by others. */
  signingKey(): SigningKey {
    const path = privateKeyPath(this.directories, this.service);
    this.signing = this.fresh(path, this.signing, false, (text) => parseSigningKey(text));
    if (this.signing === undefined) throw invariant(`Service "${this.service}" has no private key`);
    return this.signing.value;
  }

  /** The public key `kid` of `issuer`, or undefined. An unknown id makes it look at the file again. */
  findPublicKey(issuer: string, kid: string): KeyObject | undefined {
    return this.publicKeys(issuer, false)?.get(kid) ?? this.publicKeys(issuer, true)?.get(kid);
  }

  /** Looks for changed files of services seen before; cheap enough for every call. */
  refresh(): void {
    for (const issuer of this.trusted.keys()) this.publicKeys(issuer, false);
  }

  private publicKeys(issuer: string, checkNow: boolean): ReadonlyMap<string, KeyObject> | undefined {
    const before = this.trusted.get(issuer);
    const path = publicKeysPath(this.directories, issuer);
    const after = this.fresh(path, before, checkNow, (text) => parsePublicKeys(JSON.parse(text) as Jwks));
    if (after?.value !== before?.value) this.reloads += 1;
    if (after) this.trusted.set(issuer, after);
    else this.trusted.delete(issuer);
    return after?.value;
  }

  private fresh<T>(
    path: string,
    before: Loaded<T> | undefined,
    checkNow: boolean,
    parse: (text: string) => T,
  ): Loaded<T> | undefined {
    const checkedAt = this.now();
    if (before && !checkNow && checkedAt - before.checkedAt < CHECK_EVERY_MS) return before;

    const stamp = stampOf(path);
    if (stamp === undefined) return undefined;
    if (before?.stamp === stamp) return Object.assign(before, { checkedAt });
    return { stamp, checkedAt, value: parse(readFileSync(path, 'utf8')) };
  }
}

function stampOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (path.endsWith('.pem') && (stat.mode & 0o077) !== 0) {
    throw invariant('A private key file is readable by others; its mode must be 0600');
  }
  return [stat.ino, stat.mtimeMs, stat.size].join(':');
}
