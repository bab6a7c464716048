import type { Caller } from '@crate/resource-client';

/** No service token may live longer. */
export const MAX_LIFETIME_SECONDS = 300;

/** Clocks of two machines may differ by this much. */
export const CLOCK_SKEW_SECONDS = 5;

/** NATS header that carries the service token. */
export const TOKEN_HEADER = 'crate-token';

/** Audience of announcements, which are for whoever listens; never accepted for a call. */
export const ANNOUNCE_AUDIENCE = 'crate.announce';

/** Claims of a service token (RFC 7519; `scope` as RFC 8693 has it, `act` the person the service acts for). */
export interface ServiceTokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string;
  readonly scope: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly act?: { readonly user: string; readonly groups: readonly string[] };
}

/** The caller when a service acts on its own account, as in a reconcile pass. */
export function serviceCaller(service: string): Caller {
  return { user: `system:${service}`, groups: [], service };
}
