import { Command } from 'commander';
import { CLUSTER } from '@crate/api';
import { get, withGetOptions, type GetOptions } from './get.command.js';

/** `crate clusters list`: `crate get clusters`, with its options. */
export function clustersListCommand(): Command {
  return withGetOptions(new Command('list').description('List clusters; the same as: crate get clusters'))
    .argument('[cluster...]', 'only these')
    .action(async (names: readonly string[], options: GetOptions) =>
      get([`${CLUSTER.plural}.${CLUSTER.group}`, ...names], options),
    );
}
