import { Argument, Command } from 'commander';
import { candidatesFor, type Candidate } from '../completion/candidates.js';
import { COMPLETION_SCRIPTS, SHELLS, type Shell } from '../completion/scripts.js';
import { PlatformNames } from '../completion/platform-names.js';

/** As in kubectl's protocol with its plugins. Source: https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/#shell-completion-for-plugins */
const WITH_FILES = ':0';
const WITHOUT_FILES = ':4';

/** `crate completion`: what a shell has to load. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('Print what a shell loads to complete commands, options, kinds and names')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText('after', '\nTry it: source <(crate completion bash)')
    .action((shell: Shell) => void process.stdout.write(COMPLETION_SCRIPTS[shell]));
}

/** `crate __complete`: what can be written at the end of these words; for shells. */
export function completeCommand(): Command {
  return new Command('__complete')
    .argument('[words...]', 'words behind the name of the program, the last as far as it is written')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: readonly string[], _options: unknown, command: Command) => {
      const program = command.parent ?? command;
      const { all, files } = await candidatesFor(program, words.length === 0 ? [''] : words, new PlatformNames());
      const lines = [...all.map(lineOf), files ? WITH_FILES : WITHOUT_FILES];
      process.stdout.write(`${lines.join('\n')}\n`);
    });
}

function lineOf({ value, description }: Candidate): string {
  return description ? `${value}\t${description}` : value;
}
