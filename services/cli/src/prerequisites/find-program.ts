import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where distributions put servers that are not in every user's PATH. */
const EXTRA_DIRECTORIES = ['/usr/local/bin', '/usr/local/sbin', '/usr/sbin', '/opt/homebrew/bin'];

/** Full path of the first of `names` that can be executed; undefined when none can. */
export function findProgram(names: readonly string[], searchPath: string): string | undefined {
  const directories = [...searchPath.split(delimiter), ...EXTRA_DIRECTORIES].filter((directory) => directory !== '');
  return names.flatMap((name) => directories.map((directory) => join(directory, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
