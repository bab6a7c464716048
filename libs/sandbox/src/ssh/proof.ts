import { sign, verify, type KeyObject } from 'node:crypto';
import { parseAuthorizedKey } from './public-key.js';

/** Keeps a proof for the sandbox from being a valid signature of anything else. */
const CONTEXT = 'crate-sandbox-ssh-proof\0';

/** Signs a challenge, so that the other side learns that we hold the private key, and nothing else. */
export function proveKey(key: KeyObject, challenge: string): string {
  return sign(hashOf(key), Buffer.from(CONTEXT + challenge), key).toString('base64');
}

/** True when `signature` was made over `challenge` by the private half of the key in `authorizedKey`. */
export function isKeyProven(authorizedKey: string, challenge: string, signature: string): boolean {
  const key = parseAuthorizedKey(authorizedKey);
  if (!key) return false;
  return verify(hashOf(key), Buffer.from(CONTEXT + challenge), key, Buffer.from(signature, 'base64'));
}

function hashOf(key: KeyObject): string | null {
  return key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
}
