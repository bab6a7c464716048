import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is somebody else's, from the root of a checkout; `npm run images:pin` writes it. */
export const FOREIGN_LOCK = 'deploy/images/foreign.lock.json';

/**
 * Throws where images or programs of others are known by a name alone: a release with them would be another one each day, and whoever
 * can push under that name would be part of it.
 */
export function requirePinned(directory: string): void {
  const file = join(directory, FOREIGN_LOCK);
  if (!existsSync(file)) return;
  const open = unpinned(JSON.parse(readFileSync(file, 'utf8')));
  if (open.length === 0) return;
  throw new Error(
    `${FOREIGN_LOCK} has no digest for ${open.join(', ')}: run "npm run images:pin" on a machine that reaches the registries, and commit it`,
  );
}

/** Paths of all that is null: not looked up yet. */
function unpinned(value: unknown, path: readonly string[] = []): readonly string[] {
  if (value === null) return [path.join('.')];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, each]) => unpinned(each, [...path, name]));
}
