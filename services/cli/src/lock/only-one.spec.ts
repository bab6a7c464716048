import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { onlyOne } from './only-one.js';

/** Greater than any id that Linux gives. */
const NOBODY = 2 ** 22 + 1;
let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-lock-'));
  path = join(directory, 'new', 'bootstrap.pid');
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

describe('onlyOne', () => {
  it('refuses a second one while the first one works, and lets it in afterwards', async () => {
    const inside = (): Promise<never> => onlyOne(path, () => Promise.reject(new Error('reached')));
    await onlyOne(path, async () => {
      await expect(inside()).rejects.toMatchObject({ code: 'Conflict', details: { reason: 'AlreadyRuns' } });
    });
    await expect(inside()).rejects.toThrow('reached');
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    { name: 'a process that was killed', text: JSON.stringify({ pid: NOBODY }) },
    { name: 'another process of the same id', text: JSON.stringify({ pid: process.pid, startTime: 'long ago' }) },
    { name: 'somebody who was killed while writing it', text: '' },
  ])('is not kept out by $name', async ({ text }) => {
    await onlyOne(path, () => Promise.resolve());
    await writeFile(path, text);
    expect(await onlyOne(path, () => Promise.resolve('done'))).toBe('done');
  });

  it('says why nobody can be kept out', async () => {
    await writeFile(join(directory, 'new'), '');
    await expect(onlyOne(path, () => Promise.resolve())).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining(`Cannot write ${path}: `),
    });
  });
});
