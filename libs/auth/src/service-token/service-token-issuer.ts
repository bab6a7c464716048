import { randomUUID } from 'node:crypto';
import { forbidden } from '@crate/errors';
import type { Caller } from '@crate/resource-client';
import jwt from 'jsonwebtoken';
import { BoundedCache } from '../bounded-cache.js';
import type { FileKeyStore } from '../keys/file-key-store.js';
import { ALGORITHM } from '../keys/key-pair.js';
import type { ServiceRegistry } from '../service-registry.js';
import { ANNOUNCE_AUDIENCE, MAX_LIFETIME_SECONDS, type ServiceTokenClaims } from './service-token.js';

/** A cached token is replaced this long before it ends, so that it outlives the call it is sent with. */
const RENEW_BEFORE_SECONDS = 60;
const CACHED_TOKENS = 1000;

export interface ServiceTokenIssuerOptions {
  readonly service: string;
  readonly keys: FileKeyStore;
  readonly registry: ServiceRegistry;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** Signs this service's own tokens: one per receiver and acting person, kept until shortly before it ends. */
export class ServiceTokenIssuer {
  private readonly cache = new BoundedCache<{ token: string; issuedAt: number; renewAt: number }>(CACHED_TOKENS);
  private readonly now: () => number;

  constructor(private readonly options: ServiceTokenIssuerOptions) {
    this.now = options.now ?? Date.now;
  }

  /** A token for `audience` with every scope that it grants this service. Throws Forbidden when the edge is not allowed. */
  issue(audience: string, caller: Caller): string {
    const scopes = this.options.registry.scopes(this.options.service, audience);
    if (scopes.length === 0) throw forbidden(`${this.options.service} may not call ${audience}`);
    const key = JSON.stringify([audience, caller.user, caller.groups]);
    return this.cached(key, {
      aud: audience,
      scope: scopes.join(' '),
      act: { user: caller.user, groups: caller.groups },
    });
  }

  /** A token that proves who announces kinds; no receiver takes it for a call. */
  issueAnnouncement(): string {
    return this.cached(ANNOUNCE_AUDIENCE, { aud: ANNOUNCE_AUDIENCE, scope: '' });
  }

  private cached(key: string, claims: Pick<ServiceTokenClaims, 'aud' | 'scope' | 'act'>): string {
    const seconds = Math.floor(this.now() / 1000);
    const known = this.cache.get(key);
    // A clock that was set back makes a token one from the future, which nobody takes.
    if (known && known.issuedAt <= seconds && seconds < known.renewAt) return known.token;

    const token = this.sign({ ...claims, iat: seconds, exp: seconds + MAX_LIFETIME_SECONDS });
    this.cache.set(key, { token, issuedAt: seconds, renewAt: seconds + MAX_LIFETIME_SECONDS - RENEW_BEFORE_SECONDS });
    return token;
  }

  private sign(claims: Omit<ServiceTokenClaims, 'iss' | 'sub' | 'jti'>): string {
    const { service, keys } = this.options;
    const { kid, privateKey } = keys.signingKey();
    const payload: ServiceTokenClaims = { ...claims, iss: service, sub: service, jti: randomUUID() };
    return jwt.sign(payload, privateKey, { algorithm: ALGORITHM, keyid: kid });
  }
}
