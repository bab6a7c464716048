import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Full path of a program: `command` itself when it is a path, else the first match in `path` (as in `PATH`); undefined when there is none. */
export async function findExecutable(command: string, path: string): Promise<string | undefined> {
  if (command.includes('/')) {
    const full = isAbsolute(command) ? command : resolve(command);
    return (await isExecutable(full)) ? full : undefined;
  }
  for (const directory of path.split(delimiter).filter((entry) => entry.length > 0)) {
    const full = join(directory, command);
    if (await isExecutable(full)) return full;
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
