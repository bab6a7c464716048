import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Jwks } from './key-pair.js';

/** Where a deployment keeps its key pairs. */
export interface KeyDirectories {
  /** Holds `<service>.private.pem` and `<service>.sealing.pem`, each readable by that service only. */
  readonly privateDir: string;
  /** Holds `<service>.jwks.json`, `<service>.sealing.jwks.json` and, once keys were replaced, `<service>.past.jwks.json` of every trusted service, readable by all. */
  readonly trustDir: string;
}

export function privateKeyPath(directories: KeyDirectories, service: string): string {
  return join(directories.privateDir, `${service}.private.pem`);
}

export function publicKeysPath(directories: Pick<KeyDirectories, 'trustDir'>, service: string): string {
  return join(directories.trustDir, `${service}.jwks.json`);
}

/** Public keys that a service signs with no more, for records that it signed: not for tokens. */
export function pastKeysPath(directories: Pick<KeyDirectories, 'trustDir'>, service: string): string {
  return join(directories.trustDir, `${service}.past.jwks.json`);
}

/** What a service opens with: its private sealing keys, newest first. */
export function openingKeysPath(directories: KeyDirectories, service: string): string {
  return join(directories.privateDir, `${service}.sealing.pem`);
}

/** What others seal for a service with. */
export function sealingKeysPath(directories: KeyDirectories, service: string): string {
  return join(directories.trustDir, `${service}.sealing.jwks.json`);
}

/** The whole file is there or the old one is: readers never see half a key. */
export async function writeAtomically(path: string, content: string, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFile(temporary, content, { mode, flag: 'wx' });
  await rename(temporary, path);
}

/** Undefined when there is no such file. */
export async function findFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function readJwks(path: string): Promise<Jwks> {
  const text = await findFile(path);
  return text === undefined ? { keys: [] } : (JSON.parse(text) as Jwks);
}
