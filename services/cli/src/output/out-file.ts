import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { badRequest, isPlatformError } from '@crate/errors';
import { whyUnwritable } from './file-failure.js';

/** Who may read a file that tells of people and of what is theirs: its owner alone. */
export const FOR_OWNER = 0o600;
const FOR_ALL = 0o666;

/** Writes what was asked for to a file. Throws BadRequest that says why it cannot. */
export async function writeOut(path: string, content: string | Buffer, mode = FOR_ALL): Promise<void> {
  await writeFile(path, content, { mode }).catch(cannotWrite(path));
}

/** A file for what is long, open already. Throws BadRequest that says why it cannot. */
export async function openOut(path: string, mode = FOR_ALL): Promise<WriteStream> {
  const out = createWriteStream(path, { mode });
  await once(out, 'open').catch(cannotWrite(path));
  return out;
}

/** What to catch with where a file is written. Throws BadRequest; errors of ours as they are. */
export function cannotWrite(path: string): (error: unknown) => never {
  return (error) => {
    if (isPlatformError(error)) throw error;
    throw badRequest(`Cannot write ${path}: ${whyUnwritable(error)}`);
  };
}
