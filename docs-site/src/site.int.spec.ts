import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { brokenSiteLinks, pagesOf } from './site-links.js';
import { markdownFiles, ROOT } from './testing/repository.js';

const run = promisify(execFile);
const VITEPRESS = join(ROOT, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
jest.setTimeout(240_000);

const out = mkdtempSync(join(tmpdir(), 'crate-docs-'));
const site = join(out, 'site');
const read = (page: string): string => readFileSync(join(site, page), 'utf8');

beforeAll(async () => {
  const env = { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'production', CRATE_DOCS_OUT: site };
  await run(process.execPath, [VITEPRESS, 'build', join(ROOT, 'docs-site')], { env });
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

describe('the site', () => {
  it('has every page of docs/', () => {
    const pages = new Set(pagesOf(site));
    const wanted = markdownFiles()
      .filter((name) => name.startsWith('docs/'))
      .map((name) =>
        name
          .slice('docs/'.length)
          .replace(/README\.md$/, 'index.md')
          .replace(/md$/, 'html'),
      );
    expect(wanted.filter((page) => !pages.has(page))).toEqual([]);
  });

  it('has no link, picture, script or heading that leads nowhere', () => {
    expect(brokenSiteLinks(site)).toEqual([]);
  });

  it('names the page of a link that leads nowhere', () => {
    const broken = join(out, 'broken');
    mkdirSync(broken);
    cpSync(join(site, '404.html'), join(broken, 'other.html'));
    const links =
      '<a href="/gone.html">x</a> <a href="#none">y</a> <a href="https://x.invalid">z</a> <img src="no.png">';
    writeFileSync(join(broken, 'index.html'), links);
    expect(brokenSiteLinks(broken).filter((line) => line.startsWith('index.html'))).toEqual([
      'index.html: /gone.html: no such file',
      'index.html: #none: no such heading',
      'index.html: no.png: no such file',
    ]);
  });

  it('shows what stands in angle brackets, and keeps to its own host', () => {
    expect(read('api-reference.html')).toContain('named &lt;cluster&gt;.&lt;pool&gt;');
    for (const page of ['index.html', 'concepts.html', 'adr/index.html']) {
      const loaded = [...read(page).matchAll(/<(?:script|link|img)[^>]*\s(?:src|href)="(https?:[^"]*)"/g)];
      expect(loaded.map(([, url]) => url)).toEqual([]);
    }
  });

  it('can be read by those who do not see it, and searched without a server', () => {
    const page = read('concepts.html');
    expect(page).toMatch(/<html lang="en/);
    expect(page).toContain('Skip to content');
    expect(page.match(/<h1/g)).toHaveLength(1);
    expect(read('index.html')).toMatch(/class="[^"]*DocSearch-Button/);
  });
});
