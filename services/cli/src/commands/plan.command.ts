import { Command } from 'commander';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { parseDuration } from '../objects/duration.js';
import { durationOption } from './common-options.js';
import { inProject } from './in-project.js';
import { formatOption } from './format-option.js';
import { parseWorkedObject } from './worked-object.js';

/** `crate plan`: what a change leads to, before it is made; or what the newest run changes, or has changed. */
export function planCommand(): Command {
  return (
    common(
      new Command('plan').description('Plan a change of a cluster, or show what the newest run changes in the cloud'),
    )
      .argument('<object>', 'cluster/NAME or infrastructure/NAME', parseWorkedObject)
      .option('-f, --filename <file>', 'plan this: the Cluster as it is to be, as YAML; - is the standard input')
      .option('--destroy', 'plan the deletion of the cluster')
      .option('--ttl <time>', 'how long the plan can be approved, such as 1h')
      .option('--wait', 'until the consequences are known, and show them')
      // Without a default, which would stand for that of `approve` as well.
      .option('--timeout <duration>', 'how long to wait; default: 3m', parseDuration)
      .action(inProject(async () => (await import('../actions/plan.action.js')).runPlan))
      .addCommand(showCommand())
      .addCommand(approveCommand())
      .addCommand(rejectCommand())
  );
}

/** Options of `plan` that its subcommands have as well are taken by `plan`, wherever they stand. */
function showCommand(): Command {
  return common(new Command('show').description('Show what a plan leads to'))
    .argument('<name>', 'name of the plan')
    .action(inProject(async () => (await import('../actions/plan.action.js')).runShow));
}

function approveCommand(): Command {
  return common(new Command('approve').description('Have a plan carried out, exactly as it is'))
    .argument('<name>', 'name of the plan')
    .option('--wait', 'until it is carried out; fails when it is not')
    .addOption(durationOption('--timeout <duration>', 'how long to wait', '1h'))
    .action(inProject(async () => (await import('../actions/plan.action.js')).runApprove));
}

function rejectCommand(): Command {
  return common(new Command('reject').description('Give a plan up: it is deleted, and nothing of it is done'))
    .argument('<name>', 'name of the plan')
    .action(inProject(async () => (await import('../actions/plan.action.js')).runReject));
}

function common(command: Command): Command {
  return withNamespaceOption(withApiOptions(command)).addOption(formatOption('text'));
}
