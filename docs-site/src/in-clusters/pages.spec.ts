import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DOCS, ROOT } from '../testing/repository.js';
import { pagesManifest } from './pages.js';

const manifest = pagesManifest(join(DOCS, 'using-a-cluster'));

describe('the pages that the add-on docs serves in clusters', () => {
  it('are those of this documentation (else: node docs-site/dist/in-clusters/main.js, and a new version of the add-on)', () => {
    expect(readFileSync(join(ROOT, 'deploy/add-ons/docs/manifests/10-pages.yaml'), 'utf8')).toBe(manifest);
  });

  it('link one another as they are served', () => {
    const links = [...manifest.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    const pages = [...manifest.matchAll(/^ {2}(\S+): \|$/gm)].map(([, name]) => name);
    expect(pages).toEqual(['style.css', 'index.html', 'access.html', 'workloads.html', 'operations.html']);
    expect([...new Set(links)].filter((link) => !pages.includes(link))).toEqual([]);
  });

  it('have what clusters state about them', () => {
    expect(manifest).toContain('<h1>${values.title}</h1>');
    expect(manifest.match(/\$\{/g)).toHaveLength(2);
  });
});
