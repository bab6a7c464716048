import type { Command } from 'commander';
import { candidatesFor, type Candidate, type Names } from '../completion/candidates.js';
import { COMPLETION_SCRIPTS, type Shell } from '../completion/scripts.js';

/** As in kubectl's protocol with its plugins. Source: https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/#shell-completion-for-plugins */
const WITH_FILES = ':0';
const WITHOUT_FILES = ':4';

/** What asks the platform is loaded when a place wants names of it: commands and options are there without. */
const NAMES: Names = {
  kinds: async (line) => (await platformNames()).kinds(line),
  objects: async (line, type) => (await platformNames()).objects(line, type),
  contexts: async (line) => (await platformNames()).contexts(line),
};

async function platformNames(): Promise<Names> {
  const { PlatformNames } = await import('../completion/platform-names.js');
  return new PlatformNames();
}

export function runCompletion(shell: Shell): void {
  void process.stdout.write(COMPLETION_SCRIPTS[shell]);
}

export async function runComplete(words: readonly string[], _options: unknown, command: Command): Promise<void> {
  const program = command.parent ?? command;
  const { all, files } = await candidatesFor(program, words.length === 0 ? [''] : words, NAMES);
  const lines = [...all.map(lineOf), files ? WITH_FILES : WITHOUT_FILES];
  // What did not answer in time goes on without us: a refresh of tokens must not be cut off, and somebody waits for our end.
  process.stdout.write(`${lines.join('\n')}\n`, () => process.exit());
}

function lineOf({ value, description }: Candidate): string {
  return description ? `${value}\t${description}` : value;
}
