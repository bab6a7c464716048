import { describe, expect, it } from '@jest/globals';
import { cellsOf, pageOf, parsePage } from './page.js';
import type { Client, Result } from './row.js';

const run = () => Promise.resolve();
const prepare = run;
const CLIENTS: readonly Client[] = [
  { family: 'kubectl', version: '1.32', rows: [{ capability: 'get | list', run, note: 'as a | table' }], prepare },
  {
    family: 'kubectl',
    version: '1.33',
    rows: [
      { capability: 'get | list', run },
      { capability: 'watch', run },
    ],
    prepare,
  },
  { family: 'python', version: '22', rows: [{ capability: 'watch', run }], prepare, absent: 'not installed' },
];

function result(family: string, version: string, capability: string, error?: Error): Result {
  return { family, version, capability, error, note: undefined, ms: 1 };
}

describe('the page', () => {
  const results = [
    result('kubectl', '1.32', 'get | list'),
    result('kubectl', '1.33', 'get | list'),
    result('kubectl', '1.33', 'watch', new Error('x')),
  ];

  it('reads back what it says', () => {
    const page = pageOf(CLIENTS, results, new Map());
    expect(parsePage(page)).toEqual(cellsOf(results));
    expect(page).toMatch(/^\| watch +\| – +\| no +\| +\|$/m);
  });

  it('keeps what it said of clients that are absent, and forgets rows that are no more', () => {
    const before = new Map([
      ['python › watch › 22', 'yes'],
      ['kubectl › gone › 1.33', 'yes'],
      ['kubectl › watch › 1.33', 'yes'],
    ]);
    const cells = parsePage(pageOf(CLIENTS, results, before));
    expect(cells.get('python › watch › 22')).toBe('yes');
    expect(cells.get('kubectl › watch › 1.33')).toBe('no');
    expect(cells.has('kubectl › gone › 1.33')).toBe(false);
  });
});
