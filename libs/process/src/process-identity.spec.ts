import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readMachineId } from './process-identity.js';

const ID = '0123456789abcdef0123456789abcdef';

let directory: string;
beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), 'crate-machine-'))));
afterEach(() => rm(directory, { recursive: true }));

describe('readMachineId', () => {
  it.each([
    { name: 'is the same each time, and not the id itself', text: `${ID}\n`, want: /^(?!0123)[0-9a-f]{32}$/ },
    { name: 'is undefined before the first boot has made one', text: 'uninitialized\n', want: /^undefined$/ },
    { name: 'is undefined where an image left it empty', text: '', want: /^undefined$/ },
  ])('$name', async ({ text, want }) => {
    const path = join(directory, 'machine-id');
    expect(await readMachineId(path)).toBeUndefined();
    await writeFile(path, text);
    expect(String(await readMachineId(path))).toMatch(want);
    expect(await readMachineId(path)).toBe(await readMachineId(path));
  });
});
