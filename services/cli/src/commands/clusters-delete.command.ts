import type { Command } from 'commander';
import { onOneCluster } from '../clusters/cluster-options.js';
import { durationOption } from './common-options.js';
import { lazily } from './lazily.js';

const TIMEOUT = '1h';

/** `crate clusters delete`: `crate delete cluster`, which may be forced. */
export function clustersDeleteCommand(): Command {
  return onOneCluster('delete', 'Delete a cluster, and say what is in the way until it is gone')
    .option('--force', 'give up what blocks the deletion, and record it; for administrators of the Project')
    .option('--reason <text>', 'why, for the record of a forced deletion')
    .option('--no-wait', 'do not wait until the cluster is gone')
    .addOption(durationOption('--timeout <duration>', 'how long to wait', TIMEOUT))
    .action(lazily(async () => (await import('../actions/clusters-delete.action.js')).runClustersDelete));
}
