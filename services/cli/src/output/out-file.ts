import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync, type Stats } from 'node:fs';
import { open, realpath, rename, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { badRequest, isPlatformError, type ErrorDetails } from '@crate/errors';
import { whyUnwritable } from './file-failure.js';

/** Who may read a file that tells of people and of what is theirs: its owner alone. */
export const FOR_OWNER = 0o600;
const FOR_ALL = 0o666;

/** What the system says where a file may be written at most: of the folder it is in, or of a file that is mounted by itself. */
const IN_PLACE_ONLY: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV']);

/** Writes what was asked for to a file. Throws BadRequest that says why it cannot. */
export async function writeOut(path: string, content: string | Buffer, mode = FOR_ALL): Promise<void> {
  await writeFile(path, content, { mode }).catch(cannotWrite(path));
}

/**
 * Writes what is long and comes bit by bit: the file is there with all of it, or as it was before, and is whose it was. What cannot be
 * replaced is written as it is: a device, a pipe, a mounted file, and one in a folder where no other may be made.
 * Throws BadRequest that says why it cannot; what the content throws as it is.
 */
export async function writeOutLong(path: string, content: AsyncIterable<string>, mode = FOR_ALL): Promise<void> {
  // A link stays one.
  const target = await realpath(path).catch(() => path);
  const former = await stat(target).catch(() => undefined);
  const draft = former && !former.isFile() ? undefined : await draftFor(target, mode, former).catch(cannotWrite(path));
  const written = draft ? replace(target, content, draft) : pipeline(content, createWriteStream(target, { mode }));
  await written.catch(cannotWrite(path));
}

interface Draft {
  readonly path: string;
  readonly handle: FileHandle;
}

/** A file to be in the place of the former; undefined: none may be made. */
async function draftFor(target: string, mode: number, former: Stats | undefined): Promise<Draft | undefined> {
  const path = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(path, 'wx', mode);
    // Only root may, and only who replaces a file of somebody else has to.
    if (former) await handle.chown(former.uid, former.gid).catch(() => undefined);
    return { path, handle };
  } catch (error) {
    if (former && isInPlaceOnly(error)) return undefined;
    throw error;
  }
}

async function replace(target: string, content: AsyncIterable<string>, { path, handle }: Draft): Promise<void> {
  const forget = (): void => rmSync(path, { force: true });
  // A signal ends the process in the middle.
  process.once('exit', forget);
  try {
    await pipeline(content, handle.createWriteStream());
    await rename(path, target).catch(async (error: unknown) => {
      if (!isInPlaceOnly(error)) throw error;
      await writeFile(target, createReadStream(path));
    });
  } finally {
    forget();
    process.off('exit', forget);
  }
}

function isInPlaceOnly(error: unknown): boolean {
  return IN_PLACE_ONLY.has((error as NodeJS.ErrnoException).code ?? '');
}

/** What to catch with where a file is written. Throws BadRequest, with what to do; errors of ours as they are. */
export function cannotWrite(path: string, details: ErrorDetails = {}): (error: unknown) => never {
  return (error) => {
    if (isPlatformError(error)) throw error;
    throw badRequest(`Cannot write ${path}: ${whyUnwritable(error)}`, details);
  };
}
