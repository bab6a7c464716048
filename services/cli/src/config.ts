import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the CLI takes from its environment. */
export interface CliEnvironment {
  readonly searchPath: string;
  readonly dataDir: string;
}

/** The one door to the environment. `CRATE_DATA_DIR` is the default of `--data-dir`. */
export function readCliEnvironment(): CliEnvironment {
  return {
    searchPath: process.env['PATH'] ?? '',
    dataDir: process.env['CRATE_DATA_DIR'] ?? join(repositoryRoot(), '.crate'),
  };
}

/** The checkout that this program was built in. */
export function repositoryRoot(): string {
  return fileURLToPath(new URL('../../..', import.meta.url));
}
