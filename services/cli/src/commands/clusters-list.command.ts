import { Command } from 'commander';
import { withGetOptions } from './get.command.js';
import { lazily } from './lazily.js';

/** `crate clusters list`: `crate get clusters`, with its options. */
export function clustersListCommand(): Command {
  return withGetOptions(new Command('list').description('List clusters; the same as: crate get clusters'))
    .argument('[cluster...]', 'only these')
    .action(lazily(async () => (await import('../actions/clusters-list.action.js')).runClustersList));
}
