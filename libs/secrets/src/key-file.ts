import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isReadableByOthers } from '@crate/auth';
import { invalidSpec, unavailable } from '@crate/errors';
import type { EncryptionKey } from './key-ring.js';

export const KEY_FILE_SUFFIX = '.key';
const KEY_BYTES = 32;

/** Adds a new key, which wraps once it has settled; gives its id. */
export async function createKeyFile(directory: string, now: Date = new Date()): Promise<string> {
  const keyId = `${now.toISOString().replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
  const draft = join(directory, `.${keyId}.tmp`);
  await writeFile(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    // Appears whole or not at all, and never replaces a key.
    await link(draft, join(directory, `${keyId}${KEY_FILE_SUFFIX}`));
  } finally {
    await rm(draft);
  }
  return keyId;
}

/** Ids of the keys that there are files of. Throws Unavailable when the directory cannot be read. */
export async function keyIdsIn(directory: string): Promise<string[]> {
  try {
    const names = (await readdir(directory)).filter((name) => name.endsWith(KEY_FILE_SUFFIX) && !name.startsWith('.'));
    return names.map((name) => name.slice(0, -KEY_FILE_SUFFIX.length));
  } catch (error) {
    throw unavailable(`The key directory ${directory} cannot be read`, error);
  }
}

/** Throws InvalidSpec when the file is readable by others or no key. */
export async function readKey(directory: string, keyId: string): Promise<EncryptionKey> {
  const file = join(directory, `${keyId}${KEY_FILE_SUFFIX}`);
  if (isReadableByOthers(await stat(file)))
    throw badKeyFile(file, 'must be readable by its owner only (mode 0600, or 0640 where it belongs to root)');
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64');
  if (key.length !== KEY_BYTES) throw badKeyFile(file, `must hold ${KEY_BYTES} bytes in base64`);
  return { keyId, key };
}

function badKeyFile(file: string, message: string): Error {
  return invalidSpec(`Key file ${file} ${message}`, [{ reason: 'FieldValueInvalid', message, field: file }]);
}
