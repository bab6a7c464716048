import { Argument, Command } from 'commander';
import { SHELLS } from '../completion/scripts.js';
import { lazily } from './lazily.js';

/** `crate completion`: what a shell has to load. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('Print what a shell loads to complete commands, options, kinds and names')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText('after', '\nTry it: source <(crate completion bash)')
    .action(lazily(async () => (await import('../actions/completion.action.js')).runCompletion));
}

/** `crate __complete`: what can be written at the end of these words; for shells. */
export function completeCommand(): Command {
  return new Command('__complete')
    .argument('[words...]', 'words behind the name of the program, the last as far as it is written')
    .allowUnknownOption()
    .helpOption(false)
    .action(lazily(async () => (await import('../actions/completion.action.js')).runComplete));
}
