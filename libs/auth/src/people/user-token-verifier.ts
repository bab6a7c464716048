import { unauthenticated } from '@crate/errors';
import type { Caller } from '@crate/resource-client';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import type { FileKeyStore } from '../keys/file-key-store.js';
import { ALGORITHM } from '../keys/key-pair.js';
import { CLOCK_SKEW_SECONDS } from '../service-token/service-token.js';
import { LOCAL_ISSUER } from './local-issuer.js';
import { USER_AUDIENCE, UserAuthenticator } from './user-authenticator.js';

/** Names that begin so are the platform's own; a person must not pass for one. */
const RESERVED_PREFIX = 'system:';

const headerSchema = z.object({ alg: z.literal(ALGORITHM), kid: z.string() });

const claimsSchema = z.object({
  sub: z.string().min(1),
  groups: z.array(z.string()).default([]),
  exp: z.int(),
});

/** Accepts tokens of the local issuer, by its published keys. */
export class UserTokenVerifier extends UserAuthenticator {
  constructor(
    private readonly keys: FileKeyStore,
    private readonly now: () => number = Date.now,
  ) {
    super();
  }

  override async authenticate(token: string | undefined): Promise<Caller> {
    try {
      return await Promise.resolve(this.check(token ?? ''));
    } catch (cause) {
      throw unauthenticated(undefined, cause);
    }
  }

  private check(token: string): Caller {
    const { kid } = headerSchema.parse(jwt.decode(token, { complete: true })?.header);
    const key = this.keys.findPublicKey(LOCAL_ISSUER, kid);
    if (!key) throw new Error('No trusted key has this id');
    const verified = jwt.verify(token, key, {
      algorithms: [ALGORITHM],
      issuer: LOCAL_ISSUER,
      audience: USER_AUDIENCE,
      clockTolerance: CLOCK_SKEW_SECONDS,
      clockTimestamp: Math.floor(this.now() / 1000),
    });
    const { sub, groups } = claimsSchema.parse(verified);
    if (sub.startsWith(RESERVED_PREFIX)) throw new Error('Reserved user name');
    const own = groups.filter((group) => !group.startsWith(RESERVED_PREFIX));
    return { user: sub, groups: [...own, 'system:authenticated'] };
  }
}
