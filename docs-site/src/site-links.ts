import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ORIGIN = 'https://site.invalid';
const TARGET = /\s(?:href|src)="([^"]*)"/g;
const ID = /\sid="([^"]*)"/g;

/** What is wrong with links, pictures, scripts and styles of the site that was built in `directory`, one line each. */
export function brokenSiteLinks(directory: string): string[] {
  const texts = new Map(pagesOf(directory).map((page) => [page, readFileSync(join(directory, page), 'utf8')]));
  const ids = new Map([...texts].map(([page, text]) => [page, new Set(all(text, ID))]));
  return [...texts].flatMap(([page, text]) =>
    [...new Set(all(text, TARGET))].flatMap((target) => {
      const wrong = wrongWith(directory, page, target, ids);
      return wrong === undefined ? [] : [`${page}: ${target}: ${wrong}`];
    }),
  );
}

/** HTML files below a directory, as paths in it. */
export function pagesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
}

function wrongWith(
  directory: string,
  page: string,
  target: string,
  ids: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  const url = new URL(target.replaceAll('&amp;', '&'), `${ORIGIN}/${page}`);
  if (url.origin !== ORIGIN) return undefined;
  const path = decodeURIComponent(url.pathname.slice(1)).replace(/(^|\/)$/, '$1index.html');
  if (!existsSync(join(directory, path))) return 'no such file';
  const anchor = decodeURIComponent(url.hash.slice(1));
  return anchor === '' || !ids.has(path) || ids.get(path)?.has(anchor) ? undefined : 'no such heading';
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, value = '']) => value);
}
