import { cpSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { asOnGitHosts, slugify } from '../src/markdown.ts';
import { navigation } from '../src/navigation.ts';

const docs = fileURLToPath(new URL('../../docs', import.meta.url));

const ICON =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#3451b2" stroke-width="1.5">' +
      '<path d="M2 4.5 8 1.5l6 3v7l-6 3-6-3zM2 4.5l6 3 6-3M8 7.5v7"/></svg>',
  );

export default defineConfig({
  title: 'Crate',
  description: 'Kubernetes as a product, from one control plane, for many teams and many clouds.',
  srcDir: docs,
  outDir: process.env.CRATE_DOCS_OUT ?? fileURLToPath(new URL('../dist/site', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../../node_modules/.cache/docs-site', import.meta.url)),
  base: process.env.CRATE_DOCS_BASE ?? '/',
  head: [
    ['meta', { name: 'color-scheme', content: 'light dark' }],
    ['link', { rel: 'icon', type: 'image/svg+xml', href: ICON }],
  ],
  rewrites: { 'README.md': 'index.md', ':folder/README.md': ':folder/index.md' },
  // Addresses on the reader's own computer are no pages.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify },
    toc: { slugify },
    config: (markdown) => asOnGitHosts(markdown, process.env.CRATE_DOCS_SOURCE_URL),
  },
  // Documents that pages link to and that are no pages.
  buildEnd: ({ outDir }) => cpSync(docs, outDir, { recursive: true, filter: isFolderOrYaml }),
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Tutorials', link: '/tutorials/' },
      { text: 'Operators', link: '/operators-guide' },
      { text: 'API', link: '/api-reference' },
      { text: 'Command line', link: '/cli' },
    ],
    sidebar: navigation(docs),
  },
});

function isFolderOrYaml(path) {
  return path.endsWith('.yaml') || statSync(path).isDirectory();
}
