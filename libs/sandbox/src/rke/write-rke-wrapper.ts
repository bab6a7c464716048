import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SANDBOX_URL_VARIABLE } from './config.js';

/** How the wrapper starts the engine. */
export interface RkeWrapperOptions {
  /** Path of the Node binary. */
  readonly nodeBinary: string;
  /** Where the sandbox's control API listens, such as `http://127.0.0.1:4100`. */
  readonly sandboxUrl: string;
}

/** Writes the executable `rke` into `directory`, which is made when absent; gives its path. */
export async function writeRkeWrapper(directory: string, options: RkeWrapperOptions): Promise<string> {
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const path = join(directory, 'rke');
  const script = [
    '#!/bin/sh',
    `${SANDBOX_URL_VARIABLE}=${quote(options.sandboxUrl)}`,
    `export ${SANDBOX_URL_VARIABLE}`,
    `exec ${quote(options.nodeBinary)} ${quote(main)} "$@"`,
    '',
  ].join('\n');
  await mkdir(directory, { recursive: true });
  // A rename, so that a run that starts right now reads the old script or the new one.
  await writeFile(`${path}.new`, script);
  await chmod(`${path}.new`, 0o755);
  await rename(`${path}.new`, path);
  return path;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
