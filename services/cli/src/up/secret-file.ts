import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The password kept in `path`, made at the first call. Readable by this user only. */
export async function ensurePassword(path: string): Promise<string> {
  const found = await findText(path);
  if (found !== undefined) return found;
  const password = randomBytes(24).toString('hex');
  await writeSecretFile(path, password);
  return password;
}

/** Writes a file that only this user may read, in one step. */
export async function writeSecretFile(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, content, 0o600);
}

/** Gives a file new content in one step: a reader, also after a crash, sees the old one or the new one, never a part. */
export async function replaceFile(path: string, content: string, mode: number): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(temporary, content, { mode, flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Undefined when the file is not there. */
export async function findText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
