import { Command, InvalidArgumentError } from 'commander';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { inProject } from './in-project.js';
import { parseWorkedObject } from './worked-object.js';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `crate logs`: what the runs for a cluster printed. */
export function logsCommand(): Command {
  return withNamespaceOption(
    withApiOptions(
      new Command('logs').description(
        'Print what Terraform and the engine printed for a cluster, in the order of time',
      ),
    ),
  )
    .argument('<object>', 'cluster/NAME, infrastructure/NAME or kubernetescluster/NAME', parseWorkedObject)
    .option('-f, --follow', 'go on until the work is done')
    .option('--tail <lines>', 'only so many of the last lines', wholeNumber)
    .option('--since <duration>', 'only what is newer, such as 10m', seconds)
    .option('--timestamps', 'with the time of each line')
    .action(inProject(async () => (await import('../actions/logs.action.js')).runLogs));
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}

function seconds(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Give a duration such as 30s, 10m, 2h or 1d.');
  return Number(count) * (UNITS[unit] ?? 1);
}
