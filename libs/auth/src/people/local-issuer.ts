import jwt from 'jsonwebtoken';
import type { FileKeyStore } from '../keys/file-key-store.js';
import { ALGORITHM } from '../keys/key-pair.js';
import { USER_AUDIENCE } from './user-authenticator.js';

/** Name of the local issuer: `iss` of its tokens, and the name its key pair is kept under. */
export const LOCAL_ISSUER = 'local-issuer';

/** Whom a token is for; Projects name their members by the same words. */
export interface Person {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Issues people's tokens where no identity provider is at hand: the sandbox and tests. */
export class LocalIssuer {
  /** `keys` has the key of `LOCAL_ISSUER`. */
  constructor(
    private readonly keys: Pick<FileKeyStore, 'signingKey'>,
    private readonly now: () => number = Date.now,
  ) {}

  issue(person: Person, lifetimeSeconds: number): string {
    const { kid, privateKey } = this.keys.signingKey();
    const iat = Math.floor(this.now() / 1000);
    const claims = { sub: person.user, groups: person.groups, iat, exp: iat + lifetimeSeconds };
    const names = { issuer: LOCAL_ISSUER, audience: USER_AUDIENCE };
    return jwt.sign(claims, privateKey, { algorithm: ALGORITHM, keyid: kid, ...names });
  }
}
