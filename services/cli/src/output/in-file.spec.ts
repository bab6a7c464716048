import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { directoryWith } from '../testing/files-of.js';
import { readGivenText } from './in-file.js';

let directory: Awaited<ReturnType<typeof directoryWith>>;
beforeAll(async () => {
  directory = await directoryWith({ 'ca.crt': 'PEM' });
});
afterAll(async () => directory.remove());

describe('a file that a person named', () => {
  it('is read', async () => {
    expect(await readGivenText(join(directory.path, 'ca.crt'))).toBe('PEM');
  });

  it.each([
    { name: 'nope', want: 'there is no such file or folder' },
    { name: '.', want: 'it is a folder' },
    { name: 'ca.crt/below', want: 'a part of the path is no folder' },
  ])('that cannot be read is told: $name', async ({ name, want }) => {
    const path = join(directory.path, name);
    const told = { code: 'BadRequest', message: `Cannot read ${path}: ${want}` };
    await expect(readGivenText(path)).rejects.toMatchObject(told);
  });
});
