import { Command, InvalidArgumentError } from 'commander';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { inProject } from './in-project.js';
import { formatOption } from './format-option.js';

/** `crate state`: versions of the Terraform state of a cluster, or of that of its engine, and who works on it. */
export function stateCommand(): Command {
  return new Command('state')
    .description('Versions of the Terraform state of a cluster, or of that of its engine, and who works on it')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(diffCommand())
    .addCommand(restoreCommand())
    .addCommand(unlockCommand());
}

function listCommand(): Command {
  return onState('list', 'List the versions that are kept, newest first')
    .addOption(formatOption('table'))
    .action(inProject(async () => (await import('../actions/state.action.js')).runList));
}

function showCommand(): Command {
  return onState('show', 'Show what is known of a version, or of the newest, and who works on the state')
    .argument('[serial]', 'number of the version', serialOf)
    .addOption(formatOption('text'))
    .action(inProject(async () => (await import('../actions/state.action.js')).runShow));
}

function diffCommand(): Command {
  return onState('diff', 'Show what changed from one version to another; sensitive values are masked')
    .argument('<from>', 'number of the version before', serialOf)
    .argument('[to]', 'number of the version after; default: the newest', serialOf)
    .addOption(formatOption('text'))
    .action(inProject(async () => (await import('../actions/state.action.js')).runDiff));
}

function restoreCommand(): Command {
  return onState('restore', 'Put an older version in place as a new one; the next run begins with it')
    .argument('<serial>', 'number of the version', serialOf)
    .requiredOption('--reason <text>', 'why; kept with the version', reasonOf)
    .addOption(formatOption('text'))
    .action(inProject(async () => (await import('../actions/state.action.js')).runRestore));
}

function unlockCommand(): Command {
  return onCluster(
    'unlock',
    'Take the lock on the Terraform state from a person who does not work on it any more; never from a run',
  )
    .option('--yes', 'do not ask, also when the person was heard of within the hour')
    .action(inProject(async () => (await import('../actions/state.action.js')).runUnlock));
}

function onState(name: string, description: string): Command {
  return onCluster(name, description).option('--engine', "of the cluster's engine (RKE), not of Terraform");
}

function onCluster(name: string, description: string): Command {
  const command = new Command(name).description(description).argument('<name>', 'name of the cluster');
  return withNamespaceOption(withApiOptions(command));
}

function serialOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Give the number of a version, such as 7.');
  return Number(text);
}

function reasonOf(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Say why.');
  return text;
}
