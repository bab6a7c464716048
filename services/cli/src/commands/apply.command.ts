import { Command, Option } from 'commander';
import { parseObjectFormat } from '../objects/object-format.js';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { lazily } from './lazily.js';

/** `crate apply`: has objects be as files say, again and again. */
export function applyCommand(): Command {
  return writing(
    new Command('apply').description('Create or change objects so that they are as files say (server-side apply)'),
  )
    .option('--force-conflicts', 'take over fields that somebody else has set')
    .action(lazily(async () => (await import('../actions/apply.action.js')).runApply));
}

/** `crate create`: objects that are not there yet. */
export function createCommand(): Command {
  return writing(
    new Command('create').description('Create objects from files; what is there already is left alone and told'),
  ).action(lazily(async () => (await import('../actions/apply.action.js')).runCreate));
}

function writing(command: Command): Command {
  return withApiOptions(withFileOption(withNamespaceOption(command)))
    .addOption(
      new Option('--dry-run [where]', 'check it and say what it would lead to, and change nothing')
        .choices(['server'])
        .preset('server'),
    )
    .option('-o, --output <format>', 'print the objects as json, yaml, name or jsonpath=…', parseObjectFormat);
}

/** Adds `-f`. */
export function withFileOption(command: Command): Command {
  return command.requiredOption(
    '-f, --filename <file>',
    'YAML or JSON: a file, a folder (but for JSON in it that is no manifest), or - for the standard input; may be repeated',
    (value: string, before: readonly string[] = []) => [...before, value],
  );
}
