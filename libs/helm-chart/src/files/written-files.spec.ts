import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT, writtenFiles, writtenFolders } from './written-files.js';

describe('the generated files of the chart', () => {
  it.each(writtenFiles())('$path is as made: node libs/helm-chart/dist/main.js', ({ path, text }) => {
    expect(existsSync(join(ROOT, path)) && readFileSync(join(ROOT, path), 'utf8')).toBe(text);
  });

  it.each(writtenFolders())('%s has nothing else in it', (folder) => {
    const known = writtenFiles().map(({ path }) => path);
    const found = readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);
    expect(found.filter((path) => !known.includes(path))).toEqual([]);
  });
});
