import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPage } from './page.js';
import { DOCS, ROOT } from './testing/repository.js';

const FOLDER = join(DOCS, 'security');
const text = readFileSync(join(FOLDER, 'threat-model.md'), 'utf8');
const edges = text
  .split(/^## /m)
  .filter((section) => /^\d+ /.test(section))
  .map((section) => ({
    name: section.slice(0, section.indexOf('\n')),
    rows: [...section.matchAll(/^\| ([STRIDE]) \| (.*) \| (.*) \| (.*) \|$/gm)].map(
      ([, letter = '', threat = '', done = '', shown = '']) => ({ letter, threat, done, shown }),
    ),
  }));
/** A test by its words and the file that has it. */
const NAMED = /\[([^\]]+)\]\(([^)]+\.tsx?)\)/g;

/** Whether the words are in the title of a test, or of a block of tests, that runs. */
function hasTest(source: string, words: string): boolean {
  const titles = source.matchAll(/\b(?:it|test|describe)(?:\.each\([\s\S]*?\n? *\))?\(\s*(['"`])((?:(?!\1).)*)\1/g);
  return [...titles].some(([, , title = '']) => title.includes(words));
}

describe('the threat model', () => {
  it('takes no words for a test that are none', () => {
    expect(hasTest("it('refuses this', () => {", 'refuses this')).toBe(true);
    expect(hasTest("// refuses this\nit.skip('refuses this', () => {", 'refuses this')).toBe(false);
  });

  it('goes through the edges of the architecture', () => {
    expect(edges.length).toBeGreaterThanOrEqual(10);
  });

  it.each(edges)('has every letter at edge $name', ({ rows }) => {
    expect([...new Set(rows.map(({ letter }) => letter))].sort().join('')).toBe('DEIRST');
  });

  it.each(edges)('names tests that there are, or says that there is no defence, at edge $name', ({ rows }) => {
    const wrong = rows.flatMap(({ threat, done, shown }) => {
      const tests = [...shown.matchAll(NAMED)];
      if (tests.length === 0) return /\*\*not (defended|tested)\*\*/.test(done) ? [] : [`${threat}: nothing shows it`];
      return tests.flatMap(([, title = '', path = '']) => {
        const file = join(FOLDER, path);
        if (!existsSync(file)) return [`${threat}: there is no ${path}`];
        return hasTest(readFileSync(file, 'utf8'), title) ? [] : [`${threat}: ${path} has no test "${title}"`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it('is what SECURITY.md leads to', () => {
    const { links } = readPage(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8'));
    expect(links.map(({ target }) => target)).toContain('docs/security/threat-model.md');
  });
});
