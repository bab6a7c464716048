import type { Caller } from '@crate/resource-client';

/** Audience of people's tokens. */
export const USER_AUDIENCE = 'crate-api';

/** Finds out which person a bearer token belongs to. */
export abstract class UserAuthenticator {
  /** Throws Unauthenticated with a constant message. */
  abstract authenticate(token: string | undefined): Promise<Caller>;
}
