import { createRequire } from 'node:module';
import type { DataDir } from './data-dir.js';
import { program } from './node-program.js';
import type { ChildProgram } from './supervisor.js';

export interface SandboxProgramOptions {
  readonly dir: DataDir;
  /** Value of PATH for finding programs. */
  readonly searchPath: string;
  readonly port: number;
}

/** The simulated cloud of a data directory, as a process. */
export function sandboxProgram({ dir, searchPath, port }: SandboxProgramOptions): ChildProgram {
  const entry = createRequire(import.meta.url)
    .resolve('@crate/sandbox')
    .replace(/index\.js$/, 'main.js');
  return {
    ...program(entry),
    env: { PATH: searchPath, CRATE_SANDBOX_DATA_DIR: dir.sandbox(), CRATE_SANDBOX_PORT: String(port) },
  };
}
