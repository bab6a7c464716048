import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** Where distributions put servers that are not in every user's PATH. */
const EXTRA_DIRECTORIES = ['/usr/local/bin', '/usr/local/sbin', '/usr/sbin', '/opt/homebrew/bin'];

/** Full path of the first of `names` that can be executed; undefined when none can. */
export function findProgram(
  names: readonly string[],
  searchPath: string,
  extraDirectories: readonly string[] = EXTRA_DIRECTORIES,
): string | undefined {
  const directories = [...searchPath.split(delimiter), ...extraDirectories].filter((directory) => directory !== '');
  return names.flatMap((name) => directories.map((directory) => resolve(join(directory, name)))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    // Directories can be executed, too, in a sense.
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
