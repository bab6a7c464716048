import { createHash } from 'node:crypto';
import { chown, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { withFileLock } from './file-lock.js';
import { takeFile, type Taking } from './take-file.js';

const NOBODY = 65_534;

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-lock-'));
  path = join(directory, 'config.lock');
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

const taking = (text: string): Taking => ({ text, isLeft: (found) => found.text === 'left' });

/** Without the rights of root, which may read what has mode 0. */
async function asAnotherUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  await chown(directory, NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** Where the claim on a file is, as it is now. */
async function claimPath(): Promise<string> {
  const { ino, mtimeNs } = await stat(path, { bigint: true });
  const id = createHash('sha256').update(`${ino} ${mtimeNs} ${await readFile(path, 'utf8')}`);
  return `${path}.${id.digest('hex').slice(0, 12)}`;
}

describe('takeFile', () => {
  it('takes what nobody has, for this user alone, and nothing is left once it is given back', async () => {
    const giveBack = await takeFile(path, taking('ours'));
    expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual(['ours', 0o600]);
    await giveBack?.();
    expect(await readdir(directory)).toEqual([]);
  });

  it('takes nothing that somebody has', async () => {
    await writeFile(path, 'theirs');
    expect(await takeFile(path, taking('ours'))).toBeUndefined();
    expect([await readdir(directory), await readFile(path, 'utf8')]).toEqual([['config.lock'], 'theirs']);
  });

  it('leaves what was left to whoever is taking it over, and takes it when they were killed while doing so', async () => {
    await writeFile(path, 'left');
    const claim = await claimPath();
    await writeFile(claim, 'theirs');
    expect(await takeFile(path, taking('ours'))).toBeUndefined();
    await writeFile(claim, 'left');
    expect(await takeFile(path, taking('ours'))).toBeDefined();
    expect([await readdir(directory), await readFile(path, 'utf8')]).toEqual([['config.lock'], 'ours']);
  });

  it('tells what this user may not read from what says nothing', async () => {
    await writeFile(path, 'theirs', { mode: 0 });
    const isLeft = jest.fn<Taking['isLeft']>(() => false);
    await asAnotherUser(async () => takeFile(path, { text: 'ours', isLeft }));
    expect(isLeft).toHaveBeenCalledWith(expect.objectContaining({ text: undefined, ageMs: expect.any(Number) }));
  });

  it('gives nothing back that somebody took over', async () => {
    const giveBack = await takeFile(path, taking('left'));
    await takeFile(path, taking('theirs'));
    await giveBack?.();
    expect(await readFile(path, 'utf8')).toBe('theirs');
  });
});

describe('withFileLock', () => {
  it('lets one after the other in when a lock as kubectl makes it was left', async () => {
    // For its owner as well.
    await writeFile(path, '', { mode: 0 });
    await utimes(path, new Date(0), new Date(0));
    let [now, most, done] = [0, 0, 0];
    const work = async (): Promise<void> => {
      now += 1;
      most = Math.max(most, now);
      await readdir(directory);
      now -= 1;
      done += 1;
    };
    await asAnotherUser(async () =>
      Promise.all(Array.from({ length: 20 }, () => withFileLock(join(directory, 'config'), work))),
    );
    expect([most, done]).toEqual([1, 20]);
    expect(await readdir(directory)).toEqual([]);
  });
});
