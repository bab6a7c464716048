import { loadProgram } from '@crate/process/load-program';
import type * as Cli from './cli.js';

/** The command line, as one file where that is built. */
export function loadCli(): Promise<typeof Cli> {
  return loadProgram(new URL('./bundle/cli.js', import.meta.url), () => import('./cli.js'));
}
