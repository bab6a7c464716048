import { forbidden, PlatformError } from '@crate/errors';
import type { Caller } from '@crate/resource-client';
import { BoundedCache } from '../bounded-cache.js';
import type { Scope } from '../call-matrix.js';
import type { FileKeyStore } from '../keys/file-key-store.js';
import type { ServiceRegistry } from '../service-registry.js';
import { checkToken } from './check-token.js';
import { ANNOUNCE_AUDIENCE, CLOCK_SKEW_SECONDS, serviceCaller, type ServiceTokenClaims } from './service-token.js';

/** Reason of a refusal that is about the calling service, and about nobody's credentials. */
export const SERVICE_TOKEN_REFUSED = 'ServiceTokenRefused';

const CACHED_TOKENS = 1000;

export interface ServiceTokenVerifierOptions {
  /** The service that receives: the only audience accepted. */
  readonly service: string;
  readonly keys: FileKeyStore;
  readonly registry: ServiceRegistry;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** A call whose token holds. */
export interface VerifiedCall {
  /** The person acted for, with `service` set to the caller. */
  readonly caller: Caller;
  /** Names the token in the audit log. */
  readonly tokenId: string;
}

/**
 * Decides whether a peer may make a call. Messages are constant, so that a refusal teaches an attacker nothing;
 * the reason is the error's `cause`, for the log.
 */
export class ServiceTokenVerifier {
  private readonly cache = new BoundedCache<ServiceTokenClaims>(CACHED_TOKENS);
  private readonly now: () => number;
  private cacheVersion = 0;

  constructor(private readonly options: ServiceTokenVerifierOptions) {
    this.now = options.now ?? Date.now;
  }

  /** Throws Unauthenticated when the token does not hold, Forbidden when it does not let its bearer do `required`. */
  verify(token: string | undefined, required: Scope): VerifiedCall {
    const claims = this.claimsOf(token, this.options.service);
    const granted = this.options.registry.scopes(claims.iss, this.options.service);
    if (granted.length === 0) throw refused('The call matrix has no such edge');
    if (!granted.includes(required) || !claims.scope.split(' ').includes(required)) throw refused('Scope is missing');
    return { caller: callerOf(claims), tokenId: claims.jti };
  }

  /** The service that announces; throws Unauthenticated. */
  verifyAnnouncement(token: string | undefined): string {
    return this.claimsOf(token, ANNOUNCE_AUDIENCE).iss;
  }

  private claimsOf(token: string | undefined, audience: string): ServiceTokenClaims {
    this.dropStaleCache();
    const known = this.cache.get(token ?? '');
    if (known?.aud === audience && this.now() / 1000 < known.exp + CLOCK_SKEW_SECONDS) return known;

    const claims = this.check(token, audience);
    this.cache.set(token ?? '', claims);
    return claims;
  }

  private check(token: string | undefined, audience: string): ServiceTokenClaims {
    const { keys, registry } = this.options;
    try {
      return checkToken(token, {
        audience,
        nowSeconds: Math.floor(this.now() / 1000),
        findKey: (issuer, kid) => (registry.has(issuer) ? keys.findPublicKey(issuer, kid) : undefined),
      });
    } catch (cause) {
      throw new PlatformError('Unauthenticated', 'Unauthorized', { cause, details: { reason: SERVICE_TOKEN_REFUSED } });
    }
  }

  /** A token verified with a key that is trusted no more must not live on in the cache. */
  private dropStaleCache(): void {
    this.options.keys.refresh();
    if (this.cacheVersion === this.options.keys.version) return;
    this.cache.clear();
    this.cacheVersion = this.options.keys.version;
  }
}

function callerOf({ iss, act }: ServiceTokenClaims): Caller {
  return act ? { user: act.user, groups: act.groups, service: iss } : serviceCaller(iss);
}

function refused(reason: string): Error {
  const error = forbidden('Forbidden');
  error.cause = new Error(reason);
  return error;
}
