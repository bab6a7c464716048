import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout that is tested. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
