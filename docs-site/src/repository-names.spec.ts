import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { markdownFiles, ROOT } from './testing/repository.js';

const RULES = join(ROOT, 'deploy', 'prometheus', 'alerts');
const alerts = new Set(
  readdirSync(RULES).flatMap((file) =>
    [...readFileSync(join(RULES, file), 'utf8').matchAll(/alert: (Crate\w+)/g)].map(([, name = '']) => name),
  ),
);
/** What people read; decisions of the past name what was called otherwise then. */
const pages = markdownFiles().filter((file) => !file.includes('/adr/'));

function mentions(pattern: RegExp): { file: string; name: string }[] {
  return pages.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(pattern)].map(([, name = '']) => ({ file, name })),
  );
}

describe('names in the documentation', () => {
  it('are those of alerts that there are', () => {
    const named = mentions(/\b(Crate[A-Z][a-z]+[A-Z]\w+)\b(?!\()/g).filter(({ file }) => file.startsWith('docs/'));
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(({ name }) => !alerts.has(name))).toEqual([]);
  });

  it('are those of settings that somebody can set, not those that the code has for them', () => {
    const inner = mentions(/`((?:[a-z]+\.)*[a-z][A-Za-z]+(?:Ms|AfterMs))`/g);
    expect(inner.filter(({ name, file }) => name !== 'clockSkewMs' && file.startsWith('docs/'))).toEqual([]);
  });
});
