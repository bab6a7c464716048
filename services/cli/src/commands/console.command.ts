import { Command } from 'commander';
import { withApiOptions } from './api-options.js';
import { lazily } from './lazily.js';

/** `crate console`: opens the console as the person that the command line is signed in as. */
export function consoleCommand(): Command {
  return withApiOptions(new Command('console').description('Open the console in a browser, signed in as you are here'))
    .option('--no-browser', 'print the address instead of opening it')
    .action(lazily(async () => (await import('../actions/console.action.js')).openConsole));
}
