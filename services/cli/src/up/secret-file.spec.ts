import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from './data-dir.js';
import { ensurePassword, findText, replaceFile, writeSecretFile } from './secret-file.js';

let dir: DataDir;
let file: string;
beforeEach(async () => {
  dir = await temporaryDataDir();
  file = join(dir.root, 'private', 'secret');
});
afterEach(async () => removeDataDir(dir));

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

describe('writeSecretFile', () => {
  it('makes a file, and its directory, that only this user may read', async () => {
    await writeSecretFile(file, 'hunter2');
    expect(await readFile(file, 'utf8')).toBe('hunter2');
    expect([await modeOf(file), await modeOf(join(dir.root, 'private'))]).toEqual(['600', '700']);
  });

  it('closes a file that was open to everybody', async () => {
    await mkdir(join(dir.root, 'private'));
    await writeFile(file, 'old', { mode: 0o644 });
    await writeSecretFile(file, 'new');
    expect([await readFile(file, 'utf8'), await modeOf(file)]).toEqual(['new', '600']);
  });
});

describe('replaceFile', () => {
  it('never shows a reader a part, and leaves nothing beside the file', async () => {
    const contents = ['a', 'b'].map((letter) => letter.repeat(200_000));
    const path = join(dir.root, 'file');
    await replaceFile(path, contents[0] ?? '', 0o600);

    let done = false;
    const writing = (async (): Promise<void> => {
      for (let round = 0; round < 40; round += 1) await replaceFile(path, contents[round % 2] ?? '', 0o600);
      done = true;
    })();
    while (!done) expect(contents).toContain(await readFile(path, 'utf8'));
    await writing;

    expect(await readdir(dir.root)).toEqual(['file']);
  });
});

describe('replaceFile that fails', () => {
  it('leaves nothing beside the file', async () => {
    const path = join(dir.root, 'folder');
    await mkdir(path);
    await expect(replaceFile(path, 'new', 0o600)).rejects.toMatchObject({ code: 'EISDIR' });
    expect(await readdir(dir.root)).toEqual(['folder']);
  });
});

describe('ensurePassword', () => {
  it('makes one that is hard to guess, and keeps it', async () => {
    const password = await ensurePassword(file);
    expect(password).toMatch(/^[0-9a-f]{48}$/);
    expect(await ensurePassword(file)).toBe(password);
    expect(await ensurePassword(`${file}-2`)).not.toBe(password);
    expect(await modeOf(file)).toBe('600');
  });
});

describe('findText', () => {
  it('gives undefined for a file that is not there, and throws for what cannot be read', async () => {
    expect(await findText(file)).toBeUndefined();
    await expect(findText(dir.root)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});
