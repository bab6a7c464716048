import { hash } from 'node:crypto';
import { unauthenticated } from '@crate/errors';
import type { Caller } from '@crate/resource-client';
import { decodeJwt } from 'jose';
import { BoundedCache } from '../bounded-cache.js';
import type { TokenIssuer, VerifiedToken } from './token-issuer.js';
import { UserAuthenticator } from './user-authenticator.js';

const CACHED_TOKENS = 10_000;
/** Longer than any token that fits into a request's headers. */
const LONGEST_TOKEN = 16_384;

export interface PeopleAuthenticatorOptions {
  /** Each with an issuer name of its own. */
  readonly issuers: readonly TokenIssuer[];
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

interface Remembered extends VerifiedToken {
  readonly issuer: TokenIssuer;
  readonly version: number;
}

/**
 * Accepts tokens of several issuers. A token that held is remembered, by its digest, until it expires or its issuer
 * takes keys away. All refusals look alike; the reason is the error's `cause`.
 */
export class PeopleAuthenticator extends UserAuthenticator {
  private readonly issuers: ReadonlyMap<string, TokenIssuer>;
  private readonly cache = new BoundedCache<Remembered>(CACHED_TOKENS);
  private readonly now: () => number;

  constructor(options: PeopleAuthenticatorOptions) {
    super();
    this.issuers = new Map(options.issuers.map((issuer) => [issuer.issuer, issuer]));
    this.now = options.now ?? Date.now;
  }

  override async authenticate(token: string | undefined): Promise<Caller> {
    if (token === undefined || token.length > LONGEST_TOKEN) throw unauthenticated(undefined, new Error('No token'));
    // The digest keeps tokens out of memory dumps, and the look-up from being timed byte by byte.
    const digest = hash('sha256', token, 'base64');
    const known = this.recall(digest);
    if (known) return known.caller;
    try {
      const verified = await this.verify(token);
      this.cache.set(digest, verified);
      return verified.caller;
    } catch (cause) {
      throw unauthenticated(undefined, cause);
    }
  }

  private recall(digest: string): Remembered | undefined {
    const known = this.cache.get(digest);
    if (!known) return undefined;
    if (known.version === known.issuer.version && this.now() / 1000 < known.expiresAt) return known;
    this.cache.delete(digest);
    return undefined;
  }

  private async verify(token: string): Promise<Remembered> {
    // Not verified yet: only says who shall verify it.
    const { iss } = decodeJwt(token);
    const issuer = this.issuers.get(iss ?? '');
    if (!issuer) throw new Error('Unknown issuer');
    // Taken first, so that keys which change during the check make it count for nothing.
    const { version } = issuer;
    return { ...(await issuer.verify(token)), issuer, version };
  }
}
