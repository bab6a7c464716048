import { createPrivateKey } from 'node:crypto';
import { CLOCK_SKEW_SECONDS, MAX_LIFETIME_SECONDS } from '../service-token/service-token.js';
import {
  findFile,
  privateKeyPath,
  publicKeysPath,
  readJwks,
  writeAtomically,
  type KeyDirectories,
} from './key-files.js';
import { generateKeyPair, parseSigningKey, publicJwkOf, type PublicJwk } from './key-pair.js';
import { keepPastKeys } from './past-keys.js';
import { ensureSealingKey } from './rotate-sealing-key.js';

/** How long a replaced key stays trusted: until no token signed with it can be alive, plus a minute to reload files. */
const OVERLAP_SECONDS = MAX_LIFETIME_SECONDS + CLOCK_SKEW_SECONDS + 60;

/**
 * Makes the service's key pairs, to sign and to be sealed for, unless it has them. Idempotent; repairs missing public halves.
 * Gives the id of the signing key.
 */
export async function ensureKeyPair(directories: KeyDirectories, service: string, now = new Date()): Promise<string> {
  await ensureSealingKey(directories, service, now);
  const pem = await findFile(privateKeyPath(directories, service));
  if (pem === undefined) return rotateKey(directories, service, now);

  const current = publicJwkOf(createPrivateKey(pem), now);
  const { keys } = await readJwks(publicKeysPath(directories, service));
  if (!keys.some((key) => key.kid === current.kid)) await publish(directories, service, [current, ...keys]);
  return current.kid;
}

/**
 * Replaces the service's signing key. The old public key stays trusted while tokens signed with it can be alive,
 * so that nothing in flight is refused; also where an earlier rotation was cut short. Gives the new key id. Throws Invariant when the private
 * key that is there is malformed.
 */
export async function rotateKey(directories: KeyDirectories, service: string, now = new Date()): Promise<string> {
  const { privatePem, publicJwk } = generateKeyPair(now);
  const keys = await signedKeys(directories, service);
  const needed = stillNeeded(keys, now);
  // What they signed stays to be verified, though their tokens have ended.
  const past = keys.filter((key) => !needed.includes(key));
  await keepPastKeys(directories.trustDir, service, past);

  // Public half first: if this process dies in between, everyone trusts a key that nobody uses yet.
  await publish(directories, service, [publicJwk, ...needed]);
  await writeAtomically(privateKeyPath(directories, service), privatePem, 0o600);
  return publicJwk.kid;
}

/** What is published, newest first, without keys before the one in use: a rotation that was cut short published them, and nothing was signed with them. */
async function signedKeys(directories: KeyDirectories, service: string): Promise<readonly PublicJwk[]> {
  const { keys } = await readJwks(publicKeysPath(directories, service));
  const pem = await findFile(privateKeyPath(directories, service));
  const used = pem === undefined ? undefined : parseSigningKey(pem).kid;
  const inUse = keys.findIndex(({ kid }) => kid === used);
  return inUse < 0 ? keys : keys.slice(inUse);
}

/** `keys` is newest first. The newest signed until now; each older one signed until its successor was made. */
function stillNeeded(keys: readonly PublicJwk[], now: Date): readonly PublicJwk[] {
  const oldestUse = now.getTime() / 1000 - OVERLAP_SECONDS;
  return keys.filter((_, index) => {
    const successor = keys[index - 1];
    return successor === undefined || successor.created > oldestUse;
  });
}

async function publish(directories: KeyDirectories, service: string, keys: readonly PublicJwk[]): Promise<void> {
  const text = `${JSON.stringify({ keys }, undefined, 2)}\n`;
  await writeAtomically(publicKeysPath(directories, service), text, 0o644);
}
