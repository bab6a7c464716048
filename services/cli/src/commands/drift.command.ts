import { Command, InvalidArgumentError } from 'commander';
import { withApiOptions } from './api-options.js';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

/** `crate drift`: what was changed in the cloud behind the platform's back, and what is to become of it. */
export function driftCommand(): Command {
  return new Command('drift')
    .description('Compare a cluster with the cloud, and decide about what differs')
    .addCommand(showCommand(), { isDefault: true })
    .addCommand(checkCommand())
    .addCommand(correctCommand())
    .addCommand(keepCommand());
}

function showCommand(): Command {
  return onCluster('show', 'Show what the last comparison with the cloud found').action(
    lazily(async () => (await import('../actions/drift.action.js')).runShow),
  );
}

function checkCommand(): Command {
  return onCluster('check', 'Compare with the cloud now, and show what differs')
    .option('--timeout <seconds>', 'how long to wait for the comparison', toSeconds, 600)
    .action(lazily(async () => (await import('../actions/drift.action.js')).runCheck));
}

function correctCommand(): Command {
  return onCluster('correct', 'Put back everything that differs, also what was kept before').action(
    lazily(async () => (await import('../actions/drift.action.js')).runCorrect),
  );
}

function keepCommand(): Command {
  return onCluster('keep', 'Leave what differs to whoever changed it, from now on').action(
    lazily(async () => (await import('../actions/drift.action.js')).runKeep),
  );
}

function onCluster(name: string, description: string): Command {
  return withApiOptions(new Command(name).description(description))
    .argument('<cluster>', 'name of the cluster')
    .requiredOption('-n, --namespace <project>', 'Project of the cluster')
    .addOption(formatOption('text'));
}

function toSeconds(value: string): number {
  const seconds = Number(value);
  if (!Number.isFinite(seconds) || seconds <= 0) throw new InvalidArgumentError('Expected a number of seconds.');
  return seconds;
}
