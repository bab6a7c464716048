import { Command } from 'commander';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { inProject } from './in-project.js';
import { durationOption } from './common-options.js';
import { formatOption } from './format-option.js';

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
    inProject(async () => (await import('../actions/drift.action.js')).runShow),
  );
}

function checkCommand(): Command {
  return onCluster('check', 'Compare with the cloud now, and show what differs')
    .addOption(durationOption('--timeout <duration>', 'how long to wait for the comparison', '10m'))
    .action(inProject(async () => (await import('../actions/drift.action.js')).runCheck));
}

function correctCommand(): Command {
  return onCluster('correct', 'Put back everything that differs, also what was kept before').action(
    inProject(async () => (await import('../actions/drift.action.js')).runCorrect),
  );
}

function keepCommand(): Command {
  return onCluster('keep', 'Leave what differs to whoever changed it, from now on').action(
    inProject(async () => (await import('../actions/drift.action.js')).runKeep),
  );
}

function onCluster(name: string, description: string): Command {
  return withNamespaceOption(withApiOptions(new Command(name).description(description)))
    .argument('<cluster>', 'name of the cluster')
    .addOption(formatOption('text'));
}
