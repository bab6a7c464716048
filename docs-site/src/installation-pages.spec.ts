import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DOCS, markdownFiles, ROOT } from './testing/repository.js';

const read = (page: string): string => readFileSync(join(DOCS, page), 'utf8');
/** All ways to an installation; a move is of one that there is. */
const PAGES = readdirSync(join(DOCS, 'install')).filter((name) => name !== 'moving.md');

const BLOCKS = markdownFiles().flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```sh$([^]*?)^```$/gm)].map(([, block = '']) => ({
    page,
    block,
  })),
);

describe('commands over the chart of the checkout', () => {
  const ofChart = BLOCKS.filter(({ block }) => /helm (?:install|upgrade) .*deploy\/helm\/crate/.test(block));

  it('bring the charts that it depends on, which Git does not have', () => {
    expect(ofChart.length).toBeGreaterThan(5);
    const without = ofChart.filter(({ block }) => !/helm dependency update[^]*?helm (?:install|upgrade)/.test(block));
    expect(without).toEqual([]);
  });
});

describe('a way to an installation', () => {
  it.each(PAGES)('%s: says for how long the first administrator is let in', (page) => {
    const text = read(join('install', page));
    expect(text).toMatch(/(?:(?:seven|30) days|for a week|--admin-days \d+)/);
  });

  it.each(PAGES)('%s: is found by whoever upgrades or backs up', (page) => {
    const pages = ['release/upgrading.md', 'backup.md'];
    expect(pages.filter((each) => !read(each).includes(`install/${page}`))).toEqual([]);
  });
});
