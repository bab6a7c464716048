import jwt from 'jsonwebtoken';
import { z } from 'zod';
import type { FileKeyStore } from '../keys/file-key-store.js';
import { ALGORITHM } from '../keys/key-pair.js';
import { CLOCK_SKEW_SECONDS } from '../service-token/service-token.js';
import { LOCAL_ISSUER } from './local-issuer.js';
import { AUTHENTICATED_GROUP, RESERVED_PREFIX, TokenIssuer, type VerifiedToken } from './token-issuer.js';
import { USER_AUDIENCE } from './user-authenticator.js';

const headerSchema = z.object({ alg: z.literal(ALGORITHM), kid: z.string() });

const claimsSchema = z.object({
  sub: z.string().min(1),
  groups: z.array(z.string()).default([]),
  exp: z.int(),
});

/** Accepts tokens of the local issuer, by its published keys. */
export class LocalTokenVerifier extends TokenIssuer {
  override readonly issuer = LOCAL_ISSUER;

  constructor(
    private readonly keys: FileKeyStore,
    private readonly now: () => number = Date.now,
  ) {
    super();
  }

  override get version(): number {
    this.keys.refresh();
    return this.keys.version;
  }

  override async verify(token: string): Promise<VerifiedToken> {
    return Promise.resolve(this.check(token));
  }

  private check(token: string): VerifiedToken {
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
    const { sub, groups, exp } = claimsSchema.parse(verified);
    if (sub.startsWith(RESERVED_PREFIX)) throw new Error('Reserved user name');
    const own = groups.filter((group) => !group.startsWith(RESERVED_PREFIX));
    return { caller: { user: sub, groups: [...own, AUTHENTICATED_GROUP] }, expiresAt: exp + CLOCK_SKEW_SECONDS };
  }
}
