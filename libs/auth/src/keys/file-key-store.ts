import type { KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { invariant } from '@crate/errors';
import { isReadableByOthers } from './file-mode.js';
import {
  openingKeysPath,
  pastKeysPath,
  privateKeyPath,
  publicKeysPath,
  sealingKeysPath,
  type KeyDirectories,
} from './key-files.js';
import { parsePublicKeys, parseSigningKey, type Jwks, type SigningKey } from './key-pair.js';
import { newestSealingKey, parseOpeningKeys, type SealingJwks, type SealingKey } from './sealing-key.js';

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
  private readonly past = new Map<string, Loaded<ReadonlyMap<string, KeyObject>>>();
  private readonly trusted = new Map<string, Loaded<ReadonlyMap<string, KeyObject>>>();
  private opening: Loaded<ReadonlyMap<string, KeyObject>> | undefined;
  private readonly sealing = new Map<string, Loaded<SealingKey | undefined>>();
  private reloads = 0;

  constructor(
    private readonly directories: KeyDirectories,
    private readonly service: string,
    /** What ages are told by: were it one that can be set back, a revoked key would be good for as long as that. */
    private readonly now: () => number = () => performance.now(),
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

  /** As `findPublicKey`, also of keys that `issuer` signs with no more: for records that were signed once, never for tokens. */
  findRecordKey(issuer: string, kid: string): KeyObject | undefined {
    return this.findPublicKey(issuer, kid) ?? this.pastKeys(issuer)?.get(kid);
  }

  /** What to seal secrets for `service` with, or undefined when it published no such key. */
  findSealingKey(service: string): SealingKey | undefined {
    const path = sealingKeysPath(this.directories, service);
    const loaded = this.fresh(path, this.sealing.get(service), false, (text) =>
      newestSealingKey(JSON.parse(text) as SealingJwks),
    );
    if (loaded) this.sealing.set(service, loaded);
    else this.sealing.delete(service);
    return loaded?.value;
  }

  /** The private key that opens what was sealed with `kid`, or undefined. An unknown id makes it look at the file again. */
  findOpeningKey(kid: string): KeyObject | undefined {
    return this.openingKeys(false)?.get(kid) ?? this.openingKeys(true)?.get(kid);
  }

  /** Looks for changed files of services seen before; cheap enough for every call. */
  refresh(): void {
    for (const issuer of this.trusted.keys()) this.publicKeys(issuer, false);
  }

  private openingKeys(checkNow: boolean): ReadonlyMap<string, KeyObject> | undefined {
    const path = openingKeysPath(this.directories, this.service);
    this.opening = this.fresh(path, this.opening, checkNow, (text) => parseOpeningKeys(text));
    return this.opening?.value;
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

  private pastKeys(issuer: string): ReadonlyMap<string, KeyObject> | undefined {
    const path = pastKeysPath(this.directories, issuer);
    const loaded = this.fresh(path, this.past.get(issuer), false, (text) => parsePublicKeys(JSON.parse(text) as Jwks));
    if (loaded) this.past.set(issuer, loaded);
    else this.past.delete(issuer);
    return loaded?.value;
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
  if (path.endsWith('.pem') && isReadableByOthers(stat)) {
    throw invariant(
      'A private key file is readable by others; its mode must be 0600, or 0640 where it belongs to root',
    );
  }
  return [stat.ino, stat.mtimeMs, stat.size].join(':');
}
