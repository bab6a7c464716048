import type { Command } from 'commander';
import { onOneCluster } from '../clusters/cluster-options.js';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

/** `crate clusters pause`: has nothing begun for it. */
export function clustersPauseCommand(): Command {
  return onOneCluster(
    'pause',
    'Begin nothing for a cluster, whatever is asked for or happens, until it is resumed. A run under way ends by itself, and what is being deleted goes on',
  )
    .addOption(formatOption('text'))
    .action(lazily(async () => (await import('../actions/clusters-pause.action.js')).runPause));
}

/** `crate clusters resume`: works on it again. */
export function clustersResumeCommand(): Command {
  return onOneCluster('resume', 'Work on a paused cluster again')
    .addOption(formatOption('text'))
    .action(lazily(async () => (await import('../actions/clusters-pause.action.js')).runResume));
}
