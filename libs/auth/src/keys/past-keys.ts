import { SERVICES } from '../call-matrix.js';
import { pastKeysPath, publicKeysPath, readJwks, writeAtomically } from './key-files.js';
import type { PublicJwk } from './key-pair.js';

/** A public key that signed records which are still to be verified. Nobody is who signs with it now: no token is taken for it. */
interface PastJwk extends PublicJwk {
  /** Who brought it here from another installation; absent: it was replaced here. */
  readonly broughtBy?: string;
}

/** Directories of public keys, `trust`, of two installations. */
export interface TrustDirectories {
  readonly from: string;
  readonly to: string;
}

/** Keeps the public keys among the past ones of their service. Idempotent. */
export async function keepPastKeys(trustDir: string, service: string, keys: readonly PastJwk[]): Promise<void> {
  const kept = await readPast(trustDir, service);
  const more = keys.filter(({ kid }) => !kept.some((each) => each.kid === kid));
  if (more.length > 0) await writePast(trustDir, service, [...more, ...kept]);
}

/**
 * Records that the services of one installation signed, such as checkpoints of the audit log, can be verified in another from here on. Public halves
 * only, and never for tokens. Idempotent; `broughtBy` names the move, for `forgetBroughtKeys`.
 */
export async function bringPastKeys({ from, to }: TrustDirectories, broughtBy: string): Promise<void> {
  for (const service of SERVICES) {
    const { keys } = await readJwks(publicKeysPath({ trustDir: from }, service));
    const own = new Set((await readJwks(publicKeysPath({ trustDir: to }, service))).keys.map(({ kid }) => kid));
    const theirs = [...keys, ...(await readPast(from, service))].filter(({ kid }) => !own.has(kid));
    await keepPastKeys(
      to,
      service,
      theirs.map((key) => ({ ...key, broughtBy })),
    );
  }
}

/** Takes away again what was brought by one move. Idempotent. */
export async function forgetBroughtKeys(trustDir: string, broughtBy: string): Promise<void> {
  for (const service of SERVICES) {
    const kept = await readPast(trustDir, service);
    const left = kept.filter((key) => key.broughtBy !== broughtBy);
    if (left.length < kept.length) await writePast(trustDir, service, left);
  }
}

/** Public keys of an installation for another to verify records with: files as they stand in its `trust`. */
export async function pastKeyFiles(trustDir: string): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  for (const service of SERVICES) {
    const { keys } = await readJwks(publicKeysPath({ trustDir }, service));
    const all = [...keys, ...(await readPast(trustDir, service))];
    if (all.length > 0) files[pastKeysName(service)] = textOf(all);
  }
  return files;
}

function pastKeysName(service: string): string {
  return pastKeysPath({ trustDir: '' }, service);
}

async function readPast(trustDir: string, service: string): Promise<readonly PastJwk[]> {
  return (await readJwks(pastKeysPath({ trustDir }, service))).keys;
}

async function writePast(trustDir: string, service: string, keys: readonly PastJwk[]): Promise<void> {
  await writeAtomically(pastKeysPath({ trustDir }, service), textOf(keys), 0o644);
}

function textOf(keys: readonly PastJwk[]): string {
  return `${JSON.stringify({ keys }, undefined, 2)}\n`;
}
