import type { Caller } from '@crate/resource-client';

/** Names that begin so are the platform's own; nobody from outside may pass for one. */
export const RESERVED_PREFIX = 'system:';
/** Group of everyone who signed in. */
export const AUTHENTICATED_GROUP = 'system:authenticated';

/** What a token proves, and for how long. */
export interface VerifiedToken {
  readonly caller: Caller;
  /** Seconds since 1970, clock skew included. */
  readonly expiresAt: number;
}

/** Somebody whose tokens people may show. */
export abstract class TokenIssuer {
  /** `iss` of its tokens. */
  abstract readonly issuer: string;
  /** Moves when keys were taken away, so that what was verified before can be forgotten. Cheap enough for every call. */
  abstract readonly version: number;
  /** Throws whatever is wrong with the token, for the log alone. */
  abstract verify(token: string): Promise<VerifiedToken>;
}
