import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DOCS, ROOT } from './testing/repository.js';

/** How an event is written down: as an object, or by the functions that make one of its reason. */
const DRAFT =
  /(?:type: '(?:Normal|Warning)',\s*reason: |\b(?:normal|warning)\(|\b(?:internal|about)\(\s*'(?:Normal|Warning)',\s*)'([A-Z]\w+)'/g;
/** Its reasons are in a table of their own. */
const STATES = /\b\w+: '(State\w+)'/g;

const sources = readdirSync(join(ROOT, 'services'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /^[\w-]+\/src\/.*(?<!\.spec)\.ts$/.test(name) && !name.includes('/testing/'))
  .map((name) => join(ROOT, 'services', name));

describe('reasons of events, by which channels choose', () => {
  it('are all on the page that lists them', () => {
    const told = sources.flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const patterns = file.endsWith('state.events.ts') ? [DRAFT, STATES] : [DRAFT];
      return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, reason = '']) => reason));
    });
    expect(told).toEqual(expect.arrayContaining(['Ready', 'StateUnlocked', 'NodeReady', 'RemovalGivenUp']));
    const page = readFileSync(join(DOCS, 'following-work.md'), 'utf8');
    expect([...new Set(told)].filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
  });
});
