import { findFile, openingKeysPath, sealingKeysPath, writeAtomically, type KeyDirectories } from './key-files.js';
import { generateSealingKeyPair, pemBlocks, sealingJwkOf, type SealingJwk, type SealingJwks } from './sealing-key.js';

/**
 * How long a replaced key still opens: senders look at files every few seconds, but a deployment may take minutes
 * to bring new files to every host.
 */
const OVERLAP_SECONDS = 15 * 60;

/** Makes the service's sealing key unless it has one. Idempotent; repairs a missing public half. Gives the key id. */
export async function ensureSealingKey(
  directories: KeyDirectories,
  service: string,
  now = new Date(),
): Promise<string> {
  const [newest] = pemBlocks((await findFile(openingKeysPath(directories, service))) ?? '');
  if (newest === undefined) return rotateSealingKey(directories, service, now);

  const current = sealingJwkOf(newest, now);
  const { keys } = await readSealingJwks(directories, service);
  if (keys[0]?.kid !== current.kid) await publish(directories, service, [current, ...keys]);
  return current.kid;
}

/**
 * Replaces the key that others seal secrets for the service with. The old private key goes on opening while anybody
 * may still seal with its public half, so that nothing in flight is lost. Gives the new key id.
 */
export async function rotateSealingKey(
  directories: KeyDirectories,
  service: string,
  now = new Date(),
): Promise<string> {
  const { privatePem, publicJwk } = generateSealingKeyPair(now);
  const { keys } = await readSealingJwks(directories, service);
  const kept = [publicJwk, ...stillInUse(keys, now)];
  const pems = pemBlocks((await findFile(openingKeysPath(directories, service))) ?? '');
  const keptIds = new Set(kept.map(({ kid }) => kid));
  const keptPems = pems.filter((pem) => keptIds.has(sealingJwkOf(pem, now).kid));

  // Private half first: once the public one is out, somebody may seal with it.
  await writeAtomically(openingKeysPath(directories, service), [privatePem, ...keptPems].join(''), 0o600);
  await publish(directories, service, kept);
  return publicJwk.kid;
}

/** `keys` is newest first. The newest was sealed with until now; each older one until its successor was made. */
function stillInUse(keys: readonly SealingJwk[], now: Date): readonly SealingJwk[] {
  const oldestUse = now.getTime() / 1000 - OVERLAP_SECONDS;
  return keys.filter((_, index) => {
    const successor = keys[index - 1];
    return successor === undefined || successor.created > oldestUse;
  });
}

async function readSealingJwks(directories: KeyDirectories, service: string): Promise<SealingJwks> {
  const text = await findFile(sealingKeysPath(directories, service));
  return text === undefined ? { keys: [] } : (JSON.parse(text) as SealingJwks);
}

async function publish(directories: KeyDirectories, service: string, keys: readonly SealingJwk[]): Promise<void> {
  const text = `${JSON.stringify({ keys }, undefined, 2)}\n`;
  await writeAtomically(sealingKeysPath(directories, service), text, 0o644);
}
