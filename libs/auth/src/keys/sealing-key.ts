import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { invariant } from '@crate/errors';

/** A public key that secrets are sealed to, and the id its owner knows it by. */
export interface SealingKey {
  readonly kid: string;
  readonly publicKey: KeyObject;
}

/** The public half as published (RFC 8037); `created` is ours: seconds since 1970. */
export interface SealingJwk {
  readonly kty: 'OKP';
  readonly crv: 'X25519';
  readonly x: string;
  readonly kid: string;
  readonly use: 'enc';
  readonly created: number;
}

/** Newest first. */
export interface SealingJwks {
  readonly keys: readonly SealingJwk[];
}

export interface SealingKeyPair {
  /** PKCS #8. */
  readonly privatePem: string;
  readonly publicJwk: SealingJwk;
}

const PEM_BLOCK = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n?/g;

/** Makes a fresh X25519 key pair. */
export function generateSealingKeyPair(now: Date): SealingKeyPair {
  const { privateKey } = generateKeyPairSync('x25519');
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicJwk: sealingJwkOf(privateKey, now),
  };
}

/** The PEM blocks of a private file, newest first. */
export function pemBlocks(text: string): readonly string[] {
  return text.match(PEM_BLOCK) ?? [];
}

/** The public half of a private PEM; its `kid` is the RFC 7638 thumbprint. Throws Invariant when it is no X25519 key. */
export function sealingJwkOf(privateKey: KeyObject | string, created: Date): SealingJwk {
  const { x } = createPublicKey(typeof privateKey === 'string' ? parsePem(privateKey) : privateKey).export({
    format: 'jwk',
  });
  if (x === undefined) throw invariant('A sealing key has no public half');
  const thumbprint = JSON.stringify({ crv: 'X25519', kty: 'OKP', x });
  const kid = createHash('sha256').update(thumbprint).digest('base64url');
  return { kty: 'OKP', crv: 'X25519', x, kid, use: 'enc', created: Math.floor(created.getTime() / 1000) };
}

/** The private keys of a file by id. Throws Invariant when it holds none, or anything but X25519 keys. */
export function parseOpeningKeys(text: string): ReadonlyMap<string, KeyObject> {
  const keys = pemBlocks(text).map((pem) => parsePem(pem));
  if (keys.length === 0) throw badFile();
  return new Map(keys.map((key) => [sealingJwkOf(key, new Date()).kid, key]));
}

/** The key to seal to: the newest of a JWKS. Undefined when it has none that can be used. */
export function newestSealingKey({ keys }: SealingJwks): SealingKey | undefined {
  const usable = keys.find(({ kty, crv, use }) => `${kty}/${crv}/${use}` === 'OKP/X25519/enc');
  if (!usable) return undefined;
  const { kty, crv, x, kid } = usable;
  return { kid, publicKey: createPublicKey({ key: { kty, crv, x }, format: 'jwk' }) };
}

function parsePem(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'x25519') return key;
  } catch {
    // The parser's own message may quote the input, which is a secret.
  }
  throw badFile();
}

function badFile(): Error {
  return invariant('A sealing key file does not hold X25519 keys in PEM form');
}
