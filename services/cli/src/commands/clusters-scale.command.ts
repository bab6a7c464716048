import type { Command } from 'commander';
import { onOneCluster, wholeNumber } from '../clusters/cluster-options.js';
import { durationOption } from './common-options.js';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

const TIMEOUT = '1h';

/** `crate clusters scale`: more or fewer machines in a pool. */
export function clustersScaleCommand(): Command {
  return onOneCluster('scale', 'Set how many machines a node pool has')
    .option('--pool <name>', 'default: the only one')
    .requiredOption('--replicas <count>', 'how many machines', wholeNumber)
    .option('--dry-run', 'say what it leads to, and change nothing')
    .option('--wait', 'until the cluster is Ready again, and show how it comes along')
    .addOption(formatOption('text'))
    .addOption(durationOption('--timeout <duration>', 'how long to wait', TIMEOUT))
    .action(lazily(async () => (await import('../actions/clusters-scale.action.js')).runClustersScale));
}
