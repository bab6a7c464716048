import { readFile } from 'node:fs/promises';
import { badRequest, isPlatformError, type ErrorDetails } from '@crate/errors';
import { whyUnreadable } from './file-failure.js';

/** The content of a file that a person named. Throws BadRequest that says why it cannot be read. */
export async function readGiven(path: string): Promise<Buffer> {
  return readFile(path).catch(cannotRead(path));
}

/** As {@link readGiven}, of text. */
export async function readGivenText(path: string): Promise<string> {
  return (await readGiven(path)).toString('utf8');
}

/** What to catch with where a file is read. Throws BadRequest, with what to do; errors of ours as they are. */
export function cannotRead(path: string, details: ErrorDetails = {}): (error: unknown) => never {
  return (error) => {
    if (isPlatformError(error)) throw error;
    throw badRequest(`Cannot read ${path}: ${whyUnreadable(error)}`, details);
  };
}
