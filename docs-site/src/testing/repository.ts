import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Top of the repository. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const DOCS = join(ROOT, 'docs');

const SKIPPED = new Set(['node_modules', 'dist', 'generated', 'coverage', 'tmp']);

/** Markdown files of the repository: those that git knows of or would take, else all that are there. */
export function markdownFiles(): string[] {
  try {
    const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', '*.md'];
    const listed = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return listed.split('\n').filter((name) => name !== '' && statSync(join(ROOT, name), { throwIfNoEntry: false }));
  } catch {
    return [...walk(ROOT)].map((file) => relative(ROOT, file));
  }
}

function* walk(directory: string): Iterable<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (SKIPPED.has(entry.name) || entry.name.startsWith('.')) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else if (entry.name.endsWith('.md')) yield path;
  }
}
