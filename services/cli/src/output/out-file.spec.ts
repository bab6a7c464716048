import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conflict } from '@crate/errors';
import { directoryWith } from '../testing/files-of.js';
import { cannotWrite, FOR_OWNER, openOut, writeOut } from './out-file.js';

let directory: Awaited<ReturnType<typeof directoryWith>>;
beforeAll(async () => {
  directory = await directoryWith({ file: '' });
});
afterAll(async () => directory.remove());

describe('a file that output goes to', () => {
  it('is its owner’s alone where that is said', async () => {
    const file = join(directory.path, 'report.json');
    await writeOut(file, '{}', FOR_OWNER);
    expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['{}', FOR_OWNER]);
  });

  it.each([
    { name: 'no/such/file', want: 'there is no such file or folder' },
    { name: '.', want: 'it is a folder' },
    { name: 'file/below', want: 'a part of the path is no folder' },
  ])('that cannot be written is told: $name', async ({ name, want }) => {
    const path = join(directory.path, name);
    const told = { code: 'BadRequest', message: `Cannot write ${path}: ${want}` };
    await expect(writeOut(path, '')).rejects.toMatchObject(told);
    await expect(openOut(path)).rejects.toMatchObject(told);
  });

  it('leaves errors of others as they are', () => {
    const error = conflict('Somebody else has it');
    expect(() => cannotWrite('/x')(error)).toThrow(error);
  });
});
