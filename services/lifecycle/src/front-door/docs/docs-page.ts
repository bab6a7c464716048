/** Where the files of the page are; their URLs carry the version of the renderer. */
export function pageOf(assets: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Crate API</title>
    <link rel="icon" type="image/png" href="${assets}/favicon-32x32.png" />
    <link rel="stylesheet" href="${assets}/swagger-ui.css" />
    <link rel="stylesheet" href="${assets}/page.css" />
    <script src="${assets}/theme.js"></script>
  </head>
  <body>
    <header>
      <strong>Crate API</strong>
      <nav>
        <a href="/docs/openapi.json">OpenAPI</a>
        <a href="/asyncapi">AsyncAPI</a>
        <button id="theme" type="button" aria-label="Switch between dark and light">◐</button>
      </nav>
    </header>
    <main id="reference"><p class="loading">Loading the reference…</p></main>
    <noscript>This page needs JavaScript. The same content is at <a href="/docs/openapi.json">/docs/openapi.json</a>.</noscript>
    <script src="${assets}/swagger-ui-bundle.js"></script>
    <script src="${assets}/page.js"></script>
  </body>
</html>
`;
}

/** Before anything is drawn, so that a dark page never flashes white. */
export const THEME_SCRIPT = `'use strict';
const stored = localStorage.getItem('theme');
const isDark = stored ? stored === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.classList.toggle('dark-mode', isDark);
`;

export const PAGE_SCRIPT = `'use strict';
document.getElementById('theme').addEventListener('click', () => {
  const isDark = document.documentElement.classList.toggle('dark-mode');
  localStorage.setItem('theme', isDark ? 'dark' : 'light');
});
SwaggerUIBundle({
  url: '/docs/openapi.json',
  domNode: document.getElementById('reference'),
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
  filter: true,
  requestSnippetsEnabled: true,
  validatorUrl: null,
});
`;

export const PAGE_STYLE = `:root { --accent: #2f6feb; --ground: #ffffff; --ink: #1f2328; --line: #d0d7de; }
html.dark-mode { --accent: #6ea8fe; --ground: #14181f; --ink: #e6edf3; --line: #30363d; color-scheme: dark; }
html { scrollbar-gutter: stable; }
body { margin: 0; background: var(--ground); color: var(--ink); font-family: system-ui, sans-serif; }
header { position: sticky; top: 0; z-index: 10; display: flex; align-items: center; justify-content: space-between;
  padding: 0.6rem 1.5rem; background: var(--ground); border-bottom: 1px solid var(--line); }
nav { display: flex; align-items: center; gap: 1rem; }
nav a { color: var(--accent); text-decoration: none; }
nav button { font-size: 1.1rem; line-height: 1; padding: 0.3rem 0.5rem; cursor: pointer; color: inherit;
  background: transparent; border: 1px solid var(--line); border-radius: 6px; }
.loading { padding: 3rem 1.5rem; text-align: center; }
.swagger-ui .information-container.wrapper { padding-top: 0; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .scheme-container { box-shadow: none; border-bottom: 1px solid var(--line); padding: 1rem 0; }
.swagger-ui .opblock-tag { font-size: 1.1rem; padding: 0.6rem 0.5rem; }
.swagger-ui .opblock-tag small { font-size: 0.85rem; }
html.dark-mode body, html.dark-mode .swagger-ui, html.dark-mode .swagger-ui .scheme-container { background: var(--ground); }
`;
