import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { navigation, type Entry } from './navigation.js';
import { DOCS } from './testing/repository.js';

const linksOf = (entries: readonly Entry[]): string[] =>
  entries.flatMap(({ link, items }) => [...(link ? [link] : []), ...linksOf(items ?? [])]);

describe('navigation', () => {
  const bars = navigation(DOCS);

  it('leads to every page', () => {
    const pages = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `/${name.slice(0, -'.md'.length).replace(/(^|\/)README$/, '$1')}`);
    const links = new Set(Object.values(bars).flatMap(linksOf));
    expect(pages.filter((page) => !links.has(page))).toEqual([]);
    expect(pages.length).toBeGreaterThan(100);
  });

  it('leads to pages and folders that nobody put anywhere', () => {
    const docs = mkdtempSync(join(tmpdir(), 'crate-navigation-'));
    mkdirSync(join(docs, 'news'));
    for (const page of ['README', 'other', 'news/README', 'news/first'])
      writeFileSync(join(docs, `${page}.md`), `# About ${page}\n`);
    const more = navigation(docs)['/']?.find(({ text }) => text === 'More');
    rmSync(docs, { recursive: true });
    expect(more?.items?.map(({ text }) => text)).toEqual(['About other', 'About news/README', 'About news/first']);
  });

  it('calls pages by their headings', () => {
    const begin = bars['/']?.[0];
    expect(begin?.items?.[0]).toEqual({ text: 'Crate', link: '/' });
    expect(begin?.items?.map(({ text }) => text)).toContain('Concepts');
  });

  it('has tutorials in the order in which they are to be read', () => {
    const tutorials = bars['/']?.find(({ text }) => text === 'Tutorials')?.items ?? [];
    expect(tutorials.slice(0, 3).map(({ link }) => link)).toEqual([
      '/tutorials/',
      '/tutorials/first-cluster',
      '/tutorials/planned-change',
    ]);
  });

  it('keeps pages of which there are many to their own part', () => {
    expect(linksOf(bars['/'] ?? []).filter((link) => /^\/adr\/\d/.test(link))).toEqual([]);
    expect(linksOf(bars['/adr/'] ?? []).length).toBeGreaterThan(100);
    expect(readdirSync(join(DOCS, 'adr')).length).toBeGreaterThan(100);
  });
});
