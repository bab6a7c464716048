import type { Command } from 'commander';
import { onOneCluster } from '../clusters/cluster-options.js';
import { lazily } from './lazily.js';

/** `crate clusters pause`: leaves everything as it is. */
export function clustersPauseCommand(): Command {
  return onOneCluster(
    'pause',
    'Leave a cluster as it is, whatever is asked for or happens, until it is resumed',
  ).action(lazily(async () => (await import('../actions/clusters-pause.action.js')).runPause));
}

/** `crate clusters resume`: works on it again. */
export function clustersResumeCommand(): Command {
  return onOneCluster('resume', 'Work on a paused cluster again').action(
    lazily(async () => (await import('../actions/clusters-pause.action.js')).runResume),
  );
}
