import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { invariant } from '@crate/errors';

/** The one signature algorithm accepted: ECDSA on P-256 with SHA-256 (RFC 7518). */
export const ALGORITHM = 'ES256';

/** A key that signs, and the id its public half is published under. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

/** The public half as published (RFC 7517); `created` is ours: seconds since 1970. */
export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: typeof ALGORITHM;
  readonly created: number;
}

/** Source: https://www.rfc-editor.org/rfc/rfc7517 */
export interface Jwks {
  readonly keys: readonly PublicJwk[];
}

export interface KeyPair {
  /** PKCS #8. */
  readonly privatePem: string;
  readonly publicJwk: PublicJwk;
}

/** Makes a fresh P-256 key pair. */
export function generateKeyPair(now: Date = new Date()): KeyPair {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicJwk: publicJwkOf(privateKey, now),
  };
}

/** Parses a private PEM once; throws Invariant when it is no P-256 key. */
export function parseSigningKey(privatePem: string): SigningKey {
  const privateKey = parsePrivateKey(privatePem);
  return { privateKey, kid: publicJwkOf(privateKey, new Date()).kid };
}

/** The public half of a private key. Its `kid` is the RFC 7638 thumbprint, so a key has one name everywhere. */
export function publicJwkOf(privateKey: KeyObject, created: Date): PublicJwk {
  const { x, y } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (x === undefined || y === undefined) throw invariant('An EC key has no coordinates');
  const thumbprint = JSON.stringify({ crv: 'P-256', kty: 'EC', x, y });
  const kid = createHash('sha256').update(thumbprint).digest('base64url');
  const createdSeconds = Math.floor(created.getTime() / 1000);
  return { kty: 'EC', crv: 'P-256', x, y, kid, use: 'sig', alg: ALGORITHM, created: createdSeconds };
}

/** The public keys of a JWKS by id. Anything that is not a P-256 signature key is left out. */
export function parsePublicKeys(jwks: Jwks): ReadonlyMap<string, KeyObject> {
  const keys = new Map<string, KeyObject>();
  for (const { kty, crv, x, y, kid, use } of jwks.keys) {
    if ((kty as string) !== 'EC' || (crv as string) !== 'P-256' || (use as string) !== 'sig') continue;
    keys.set(kid, createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' }));
  }
  return keys;
}

function parsePrivateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // The parser's own message may quote the input, which is a secret.
  }
  throw invariant('A private key file does not hold a P-256 key in PEM form');
}
