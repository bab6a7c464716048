import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { badRequest, isPlatformError, type ErrorDetails } from '@crate/errors';
import { whyUnwritable } from './file-failure.js';

/** Who may read a file that tells of people and of what is theirs: its owner alone. */
export const FOR_OWNER = 0o600;
const FOR_ALL = 0o666;

/** Writes what was asked for to a file. Throws BadRequest that says why it cannot. */
export async function writeOut(path: string, content: string | Buffer, mode = FOR_ALL): Promise<void> {
  await writeFile(path, content, { mode }).catch(cannotWrite(path));
}

/**
 * Writes what is long and comes bit by bit: the file is there with all of it, or as it was before. A device or a pipe gets what comes.
 * Throws BadRequest that says why it cannot; what the content throws as it is.
 */
export async function writeOutLong(path: string, content: AsyncIterable<string>, mode = FOR_ALL): Promise<void> {
  // A link stays one.
  const target = await realpath(path).catch(() => path);
  const isReplaceable = await stat(target).then(
    (found) => found.isFile(),
    () => true,
  );
  await (isReplaceable ? replace(target, content, mode) : write(target, content, mode)).catch(cannotWrite(path));
}

async function replace(path: string, content: AsyncIterable<string>, mode: number): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await write(draft, content, mode);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function write(path: string, content: AsyncIterable<string>, mode: number): Promise<void> {
  await pipeline(content, createWriteStream(path, { mode }));
}

/** What to catch with where a file is written. Throws BadRequest, with what to do; errors of ours as they are. */
export function cannotWrite(path: string, details: ErrorDetails = {}): (error: unknown) => never {
  return (error) => {
    if (isPlatformError(error)) throw error;
    throw badRequest(`Cannot write ${path}: ${whyUnwritable(error)}`, details);
  };
}
