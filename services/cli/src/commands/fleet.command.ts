import { Command, Option } from 'commander';
import { FLEET_LIMIT, FLEET_SORTS } from './api-values.js';
import { withApiOptions } from './api-options.js';
import { lazily } from './lazily.js';

/** `crate fleet`: all clusters that somebody may see, what needs a person first. */
export function fleetCommand(): Command {
  const orders = FLEET_SORTS.flatMap((sort) => [sort, `-${sort}`]);
  return withApiOptions(new Command('fleet'))
    .description('Show all clusters you may see, those first that need a person, and why')
    .option('-p, --project <names>', 'only of these Projects, with commas between them')
    .option('--health <words>', 'only those that stand so, such as Failing,Blocked')
    .option('--region <names>', 'only in these regions')
    .option('--kubernetes-version <versions>', 'only of these versions')
    .option('--provider <names>', 'only at these providers')
    .option('--engine <names>', 'only of these engines')
    .option('--class <names>', 'only of these ClusterClasses')
    .option('-q, --search <text>', 'only with this in the name, Project, class or cause')
    .addOption(
      new Option('--sort <by>', 'from the least, or with - from the most; default: -attention').choices(orders),
    )
    .option('--offset <number>', 'rows to leave out at the beginning')
    .option('--limit <number>', `most rows, up to ${FLEET_LIMIT.most}; default: ${FLEET_LIMIT.standard}`)
    .option('-w, --watch', 'then show it again whenever it changes, until Ctrl-C')
    .addOption(
      new Option('-o, --output <format>', 'how to print it').choices(['table', 'json', 'yaml']).default('table'),
    )
    .action(lazily(async () => (await import('../actions/fleet.action.js')).runFleet));
}
