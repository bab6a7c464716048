import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { directoryWith } from '../testing/files-of.js';
import { MANIFEST, yamlFilesIn } from './yaml-files.js';

let folder: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  const files = { 'a.yaml': '', 'b.json': '', 'c.txt': '', 'below/d.yml': '', '.hidden.yaml': '' };
  ({ path: folder, remove } = await directoryWith(files));
});
afterEach(async () => remove());

async function found(ending?: RegExp): Promise<readonly string[]> {
  return (await yamlFilesIn(folder, ending)).map((path) => relative(folder, path));
}

describe('the files of a folder', () => {
  it('are those in YAML, or those that kubectl would take', async () => {
    expect(await found()).toEqual(['a.yaml', 'below/d.yml']);
    expect(await found(MANIFEST)).toEqual(['a.yaml', 'b.json', 'below/d.yml']);
  });

  it('may be links, which are told of when they lead nowhere; folders are not followed, for they may go round', async () => {
    await symlink('c.txt', join(folder, 'link.yaml'));
    await symlink('nowhere', join(folder, 'lost.yaml'));
    await symlink('.', join(folder, 'round.yaml'));
    expect(await found()).toEqual(['a.yaml', 'below/d.yml', 'link.yaml', 'lost.yaml']);
  });
});
