import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { conflict, notFound } from '@crate/errors';
import { KEY_FILE_SUFFIX } from '../key-file.js';
import type { KeyUse } from './key-use.js';

/** Of a directory that all replicas share, where keys settle at once (`settleMs` 0): for so long they may still write under the key before. */
const SETTLES_AFTER_MS = 30_000;

/** Ids of the keys in a directory, oldest first. */
export async function listKeyFiles(directory: string): Promise<readonly string[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(KEY_FILE_SUFFIX) && !name.startsWith('.'));
  return names.map((name) => name.slice(0, -KEY_FILE_SUFFIX.length)).sort();
}

/**
 * Removes a key that nothing stands under any more; what it encrypted in backups is then lost unless a copy is kept.
 * Only where keys settle at once: elsewhere replicas go on writing under it for longer than is waited here.
 * Throws NotFound, and Conflict for the newest key and for one that is or may still be in use.
 */
export async function retireKeyFile(directory: string, keyId: string, uses: readonly KeyUse[]): Promise<void> {
  const keys = await listKeyFiles(directory);
  if (!keys.includes(keyId)) throw notFound('Encryption key', keyId);
  const newest = keys.at(-1);
  if (newest === keyId) throw conflict(`Encryption key ${keyId} is the newest one; new secrets are kept under it`);
  const records = uses.find((use) => use.keyId === keyId)?.records ?? 0;
  if (records > 0) throw conflict(`Encryption key ${keyId} is in use by ${records} records`);
  const { mtimeMs } = await stat(join(directory, `${newest}${KEY_FILE_SUFFIX}`));
  const leftMs = mtimeMs + SETTLES_AFTER_MS - Date.now();
  if (leftMs > 0) {
    const seconds = Math.ceil(leftMs / 1000);
    throw conflict(
      `Encryption key ${keyId} may be in use: the newest one has just been made; try again in ${seconds} seconds`,
    );
  }
  await rm(join(directory, `${keyId}${KEY_FILE_SUFFIX}`));
}
