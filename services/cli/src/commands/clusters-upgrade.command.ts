import type { Command } from 'commander';
import { onOneCluster } from '../clusters/cluster-options.js';
import { durationOption } from './common-options.js';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

const TIMEOUT = '1h';

/** `crate clusters upgrade`: shows what another version leads to, asks, and has exactly that carried out. */
export function clustersUpgradeCommand(): Command {
  return onOneCluster('upgrade', 'Move a cluster to another Kubernetes version: shows what it leads to, and asks first')
    .option('--to <version>', 'default: the newest that is at most one minor version ahead')
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'show what it leads to, and change nothing')
    .option('--wait', 'until the cluster is Ready again, and show how it comes along')
    .addOption(formatOption('text', 'how to print it; as data null where there is nothing to do'))
    .addOption(durationOption('--timeout <duration>', 'how long to wait', TIMEOUT))
    .action(lazily(async () => (await import('../actions/clusters-upgrade.action.js')).runClustersUpgrade));
}
