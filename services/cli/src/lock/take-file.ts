import { createHash, randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { link, open, rename, rm, stat, writeFile } from 'node:fs/promises';

/** A file that somebody took. */
export interface TakenFile {
  /** Undefined: this user may not read it. kubectl's locks may be read by nobody, not even by their owner. */
  readonly text: string | undefined;
  /** Since it was written. */
  readonly ageMs: number;
}

export interface Taking {
  /** What the file says of its owner. */
  readonly text: string;
  /** True when whoever took the file is gone without having given it back. */
  readonly isLeft: (found: TakenFile) => boolean;
}

/** Gives the file back; one that somebody else has taken over since stays. */
export type GiveBack = () => Promise<void>;

/**
 * Takes a file, which one process of all can: with `text` in it, readable by this user only. Undefined when somebody has it, or is about to.
 *
 * A file that was left is never removed, but replaced in one step, and by one only: by who took the claim, a file named after the very content that
 * is to be replaced. Whoever sees that content with the claim in hand sees it until they replace it. A claim is left as every other file is.
 */
export async function takeFile(path: string, taking: Taking): Promise<GiveBack | undefined> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, taking.text, { mode: 0o600, flag: 'wx' });
    const id = (await look(draft))?.id;
    const isTaken = (await isLinked(draft, path)) || (await takeOver(draft, path, taking));
    return isTaken ? async () => removeThe(path, id) : undefined;
  } finally {
    await rm(draft, { force: true });
  }
}

async function takeOver(draft: string, path: string, taking: Taking): Promise<boolean> {
  const found = await look(path);
  if (!found || !taking.isLeft(found)) return false;
  const giveBack = await takeFile(`${path}.${found.id}`, taking);
  if (!giveBack) return false;
  try {
    if ((await look(path))?.id !== found.id) return false;
    await rename(draft, path);
    return true;
  } finally {
    await giveBack();
  }
}

async function removeThe(path: string, id: string | undefined): Promise<void> {
  if ((await look(path))?.id === id) await rm(path, { force: true });
}

/** With an id that no other file of this name ever has. Undefined when nobody has it. */
async function look(path: string): Promise<(TakenFile & { readonly id: string }) | undefined> {
  try {
    const [{ ino, mtimeNs, mtimeMs }, text] = await read(path);
    const id = createHash('sha256')
      .update(`${ino} ${mtimeNs} ${text ?? ''}`)
      .digest('hex')
      .slice(0, 12);
    return { id, text, ageMs: Date.now() - Number(mtimeMs) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function read(path: string): Promise<readonly [BigIntStats, string | undefined]> {
  try {
    await using file = await open(path, 'r');
    return [await file.stat({ bigint: true }), await file.readFile('utf8')];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    return [await stat(path, { bigint: true }), undefined];
  }
}

async function isLinked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
