import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { join, relative } from 'node:path';
import { directoryWith } from '../testing/files-of.js';
import { manifestFilesAt } from './manifest-files.js';

const FILES = {
  'project.yaml': 'kind: Project',
  'other.yaml': 'replicas: 3',
  'below/cluster.json': '{ "apiVersion": "lifecycle.crate.dev/v1alpha1", "kind": "Cluster" }',
  'list.json': '{ "kind": "List", "items": [] }',
  'mistaken.json': '{ "apiVersion": "lifecycle.crate.dev/v1alpha1" "kind": "Cluster" }',
  'package.json': '{ "name": "app", "version": "1.0.0" }',
  'tsconfig.json': '{ // strict\n  "compilerOptions": { "strict": true, }, }',
  'numbers.json': '[1, 2]',
};

let folder: string;
let remove: () => Promise<void>;
beforeEach(async () => ({ path: folder, remove } = await directoryWith(FILES)));
afterEach(async () => remove());

describe('the files that -f means', () => {
  it('are all YAML of a folder, and JSON that is a manifest or is meant to be one', async () => {
    const found = (await manifestFilesAt(folder)).map((path) => relative(folder, path));
    expect(found).toEqual(['below/cluster.json', 'list.json', 'mistaken.json', 'other.yaml', 'project.yaml']);
  });

  it.each(['package.json', 'tsconfig.json'])('are the one that is named, whatever it holds: %s', async (name) => {
    const path = join(folder, name);
    expect(await manifestFilesAt(path)).toEqual([path]);
  });

  it('are the standard input', async () => {
    expect(await manifestFilesAt('-')).toEqual(['-']);
  });
});
