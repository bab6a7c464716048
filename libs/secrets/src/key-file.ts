import { randomBytes, timingSafeEqual } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isReadableByOthers } from '@crate/auth';
import { invalidSpec, unavailable } from '@crate/errors';
import type { EncryptionKey } from './key-ring.js';

export const KEY_FILE_SUFFIX = '.key';
const KEY_BYTES = 32;
const NO_KEY = `must hold ${KEY_BYTES} bytes in base64`;

/** Adds a new key, which wraps once it has settled; gives its id. */
export async function createKeyFile(directory: string, now: Date = new Date()): Promise<string> {
  const keyId = `${now.toISOString().replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
  await writeKeyFile(directory, { keyId, key: randomBytes(KEY_BYTES) });
  return keyId;
}

/** Puts a key back that was kept elsewhere. Idempotent; throws InvalidSpec when it is no key, or when another key has its id. */
export async function restoreKeyFile(directory: string, restored: EncryptionKey): Promise<void> {
  const { keyId, key } = restored;
  const file = fileOf(directory, keyId);
  if (key.length !== KEY_BYTES) throw badKeyFile(file, NO_KEY);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!(await keyIdsIn(directory)).includes(keyId)) return writeKeyFile(directory, restored);
  const { key: own } = await readKey(directory, keyId);
  if (!timingSafeEqual(key, own)) throw badKeyFile(file, 'is there already and holds another key');
}

async function writeKeyFile(directory: string, { keyId, key }: EncryptionKey): Promise<void> {
  const draft = join(directory, `.${keyId}.tmp`);
  // What a write that was killed left here is of no use.
  await rm(draft, { force: true });
  await writeFile(draft, `${Buffer.from(key).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    // Appears whole or not at all, and never replaces a key.
    await link(draft, fileOf(directory, keyId));
  } finally {
    await rm(draft);
  }
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
  const file = fileOf(directory, keyId);
  if (isReadableByOthers(await stat(file)))
    throw badKeyFile(file, 'must be readable by its owner only (mode 0600, or 0640 where it belongs to root)');
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64');
  if (key.length !== KEY_BYTES) throw badKeyFile(file, NO_KEY);
  return { keyId, key };
}

function fileOf(directory: string, keyId: string): string {
  return join(directory, `${keyId}${KEY_FILE_SUFFIX}`);
}

function badKeyFile(file: string, message: string): Error {
  return invalidSpec(`Key file ${file} ${message}`, [{ reason: 'FieldValueInvalid', message, field: file }]);
}
