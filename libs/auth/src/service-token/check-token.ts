import type { KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { ALGORITHM } from '../keys/key-pair.js';
import { CLOCK_SKEW_SECONDS, MAX_LIFETIME_SECONDS, type ServiceTokenClaims } from './service-token.js';

export interface CheckTokenOptions {
  readonly audience: string;
  readonly nowSeconds: number;
  readonly findKey: (issuer: string, kid: string) => KeyObject | undefined;
}

const headerSchema = z.object({ alg: z.literal(ALGORITHM), kid: z.string() });

const claimsSchema = z.object({
  iss: z.string(),
  sub: z.string(),
  // One receiver: a list would let a receiver replay the token at another.
  aud: z.string(),
  scope: z.string(),
  iat: z.int(),
  exp: z.int(),
  jti: z.string().min(1),
  act: z.object({ user: z.string().min(1), groups: z.array(z.string()) }).exactOptional(),
});

/** The claims of a token that holds; throws an error that says why it does not. */
export function checkToken(token: string | undefined, options: CheckTokenOptions): ServiceTokenClaims {
  const unverified = jwt.decode(token ?? '', { complete: true });
  if (unverified === null) throw new Error('Token is missing or malformed');
  const { kid } = headerSchema.parse(unverified.header);
  const { iss } = claimsSchema.parse(unverified.payload);

  const key = options.findKey(iss, kid);
  if (!key) throw new Error('No trusted key of the issuer has this id');
  const verified = jwt.verify(token ?? '', key, {
    algorithms: [ALGORITHM],
    audience: options.audience,
    issuer: iss,
    subject: iss,
    clockTolerance: CLOCK_SKEW_SECONDS,
    clockTimestamp: options.nowSeconds,
  });
  return checkLifetime(claimsSchema.parse(verified), options.nowSeconds);
}

function checkLifetime(claims: ServiceTokenClaims, nowSeconds: number): ServiceTokenClaims {
  if (claims.exp - claims.iat > MAX_LIFETIME_SECONDS) throw new Error('Token lives too long');
  if (claims.iat > nowSeconds + CLOCK_SKEW_SECONDS) throw new Error('Token is from the future');
  return claims;
}
