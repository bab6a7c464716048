import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readPage, type Page } from './page.js';

const ELSEWHERE = /^[a-z][a-z0-9+.-]*:/i;

/**
 * What is wrong with the links between files of the repository at `root`, one line each: a file that is not there, or a
 * heading that the page does not have. Links to other hosts are not followed.
 */
export function brokenLinks(root: string, files: readonly string[]): string[] {
  const pages = new Map<string, Page>();
  const pageOf = (file: string): Page => {
    const page = pages.get(file) ?? readPage(readFileSync(join(root, file), 'utf8'));
    pages.set(file, page);
    return page;
  };
  return files.flatMap((file) =>
    pageOf(file).links.flatMap(({ target, line }) => {
      const wrong = ELSEWHERE.test(target) ? undefined : wrongWith(root, file, target, pageOf);
      return wrong === undefined ? [] : [`${file}:${line}: ${target}: ${wrong}`];
    }),
  );
}

function wrongWith(root: string, from: string, target: string, pageOf: (file: string) => Page): string | undefined {
  const [path = '', anchor] = decodeURI(target).split('#');
  const file = path === '' ? from : join(dirname(from), path);
  if (file.startsWith('..')) return 'leads out of the repository';
  if (!existsSync(join(root, file))) return 'no such file';
  if (anchor === undefined) return undefined;
  if (!file.endsWith('.md') || statSync(join(root, file)).isDirectory()) return 'only pages have headings';
  return pageOf(file).anchors.has(anchor) ? undefined : 'no such heading';
}
