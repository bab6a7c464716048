import { mkdtemp, mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isUpToDate } from './load-program.js';

let directory: string;
let bundle: URL;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-bundle-'));
  bundle = pathToFileURL(join(directory, 'dist', 'bundle', 'service.js'));
  await mkdir(join(directory, 'dist', 'bundle'), { recursive: true });
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

/** Writes a file as of that second. */
async function write(path: string, second: number, text = ''): Promise<void> {
  await writeFile(join(directory, path), text);
  await utimes(join(directory, path), second, second);
}

const CONTENTS = JSON.stringify({ builds: ['../.tsbuildinfo', '../../other.tsbuildinfo'] });

describe('a bundle is loaded', () => {
  it('when it was made after all builds of what is in it', async () => {
    await write('dist/bundle/contents.json', 20, CONTENTS);
    await write('dist/bundle/service.js', 20);
    await write('dist/.tsbuildinfo', 10);
    await write('other.tsbuildinfo', 20);
    expect(isUpToDate(bundle)).toBe(true);
  });

  it('where nothing is built, as in an image', async () => {
    await write('dist/bundle/contents.json', 20, CONTENTS);
    await write('dist/bundle/service.js', 20);
    expect(isUpToDate(bundle)).toBe(true);
  });
});

describe('modules are loaded instead', () => {
  it('when no bundle was made', () => {
    expect(isUpToDate(bundle)).toBe(false);
  });

  it('when one workspace in it was built since, and nobody made the bundle again', async () => {
    await write('dist/bundle/contents.json', 20, CONTENTS);
    await write('dist/bundle/service.js', 20);
    await write('dist/.tsbuildinfo', 10);
    await write('other.tsbuildinfo', 21);
    expect(isUpToDate(bundle)).toBe(false);
  });
});
