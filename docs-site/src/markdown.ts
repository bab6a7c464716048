import GithubSlugger from 'github-slugger';
import type { MarkdownIt, Token } from 'markdown-it';

/** What git hosts let through; anything else in angle brackets is meant to be read. */
const HTML = /^(<\/?(br|kbd|sub|sup|details|summary|img)\b[^>]*>|<!--[\s\S]*-->)\s*$/i;

/** What a page of `docs/` may link to outside of it, such as `../SECURITY.md`. */
const OUTSIDE = /^(\.\.\/)+/;

/** The page that opens a folder, which is at the folder's own address. */
const OPENING = /^((?!\w+:)(?:.*\/)?)README\.md(#.*)?$/;

/** Ids of headings, as git hosts make them, so that one link works in both places. */
export function slugify(heading: string): string {
  return new GithubSlugger().slug(heading);
}

/**
 * Makes the generator read what a git host reads: angle brackets and double braces are text, and links out of `docs/`
 * lead to `sourceUrl` (the folder that holds `docs/` on a git host), or nowhere when there is none.
 */
export function asOnGitHosts(markdown: MarkdownIt, sourceUrl: string | undefined): void {
  const { rules } = markdown.renderer;
  rules.text = (tokens, index) => escape(tokens[index]?.content ?? '');
  rules.html_inline = rules.html_block = (tokens, index) => {
    const { content } = tokens[index] ?? { content: '' };
    return HTML.test(content) ? content : escape(content);
  };
  for (const name of ['code_inline', 'fence', 'code_block'] as const) {
    const render = rules[name];
    if (render) rules[name] = (...args) => braces(render(...args));
  }
  markdown.core.ruler.push('outside', ({ tokens, env }) => {
    const page = (env as { relativePath?: string }).relativePath ?? '';
    for (const { children } of tokens)
      for (const token of children ?? []) if (token.type === 'link_open') leadOn(token, page, sourceUrl);
  });
}

/** Has a link lead to where the page that it means is on the site. */
function leadOn(link: Token, page: string, sourceUrl: string | undefined): void {
  const href = String(link.attrGet('href'));
  const target = outsideOf(page, href);
  if (target === undefined) link.attrSet('href', href.replace(OPENING, '$1$2') || './');
  else if (sourceUrl) link.attrSet('href', `${sourceUrl}/${target}`);
  else link.attrs = [['title', `${target} of the repository`]];
}

/** The path in the repository that `href` on `page` (relative to `docs/`) means, when it lies outside of `docs/`. */
export function outsideOf(page: string, href: string): string | undefined {
  if (!OUTSIDE.test(href)) return undefined;
  const { pathname } = new URL(href, `file:///docs/${page}`);
  return pathname.startsWith('/docs/') ? undefined : pathname.slice(1);
}

/** As text in HTML. Entities come as they were written. */
function escape(text: string): string {
  const safe = text.replace(/&(?!(#\d+|#x[\da-f]+|\w+);)/gi, '&amp;');
  return braces(safe.replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
}

/** Double braces would be code to the generator. */
function braces(html: string): string {
  return html.replaceAll('{{', '&#123;&#123;');
}
