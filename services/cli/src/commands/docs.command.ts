import { Argument, Command } from 'commander';
import { lazily } from './lazily.js';

/** `crate docs`: the reference of the command line itself, for those who build it. */
export function docsCommand(): Command {
  return new Command('docs')
    .description('Print the reference of the command line, from the definitions of its commands')
    .addArgument(new Argument('<format>', 'what to make').choices(['markdown', 'man']))
    .option('-O, --out <file>', 'write to a file')
    .action(lazily(async () => (await import('../actions/docs.action.js')).runDocs));
}
