import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from './testing/root.js';

interface Manifest {
  readonly name: string;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const manifest = (folder: string): Manifest => JSON.parse(text(join(folder, 'package.json'))) as Manifest;
const folders = (manifest('.').workspaces ?? [])
  .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: ROOT }))
  .map((file) => file.slice(0, -'/package.json'.length))
  .toSorted();

/** What a workspace's own files say, in one text. */
const sourcesOf = (folder: string): string =>
  globSync(`${folder}/src/**/*.{ts,tsx}`, { cwd: ROOT }).map(text).join('\n');

/** Functions and constants that a workspace exports to the others; of classes some are there for the types of signatures. */
const exportedValues = (folder: string): string[] =>
  [...text(`${folder}/src/index.ts`).matchAll(/export \{([^}]*)\}/g)]
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
    .filter((name) => /^([a-z]\w*|[A-Z_\d]+)$/.test(name));

describe('edges between workspaces', () => {
  it.each(folders)('of %s are used', (folder) => {
    const { dependencies, devDependencies } = manifest(folder);
    const stated = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => name.startsWith('@crate/'));
    const referenced = [...text(join(folder, 'tsconfig.json')).matchAll(/"path": "([^"]+)"/g)].map(
      ([, path]) => manifest(join(folder, path ?? '')).name,
    );
    const sources = sourcesOf(folder);
    // Each edge makes the one wait for the other's build and run its tests again.
    const isUsed = (name: string): boolean => sources.includes(`'${name}'`) || sources.includes(`'${name}/`);
    expect([...stated, ...referenced].filter((name) => !isUsed(name))).toEqual([]);
  });
});

describe('public names', () => {
  const words = new Map(folders.map((folder) => [folder, new Set(sourcesOf(folder).match(/\w+/g))]));
  const tools = new Set(globSync('tools/**/*.mjs', { cwd: ROOT }).flatMap((file) => text(file).match(/\w+/g) ?? []));
  // Who uses the client stands outside of this repository.
  const libraries = folders.filter((folder) => /^(libs|infra)\//.test(folder) && folder !== 'libs/client');

  it.each(libraries)('of %s are used by another workspace', (folder) => {
    const others = [tools, ...folders.filter((other) => other !== folder).map((other) => words.get(other))];
    const unused = exportedValues(folder).filter((name) => !others.some((other) => other?.has(name)));
    expect(unused).toEqual([]);
  });
});
