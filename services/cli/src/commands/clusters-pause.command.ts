import type { Command } from 'commander';
import type { Cluster } from '@crate/api';
import { clusterAt, onOneCluster, type ClusterOptions } from '../clusters/cluster-options.js';

/** `crate clusters pause`: leaves everything as it is. */
export function clustersPauseCommand(): Command {
  return settingPaused(
    'pause',
    'Leave a cluster as it is, whatever is asked for or happens, until it is resumed',
    true,
  );
}

/** `crate clusters resume`: works on it again. */
export function clustersResumeCommand(): Command {
  return settingPaused('resume', 'Work on a paused cluster again', false);
}

function settingPaused(name: string, description: string, paused: boolean): Command {
  return onOneCluster(name, description).action(async (cluster: string, options: ClusterOptions) => {
    const { api, path } = await clusterAt(cluster, options);
    await api.merge<Cluster>(path, { spec: { paused } });
    console.log(`Cluster "${cluster}" is ${paused ? 'paused' : 'worked on again'}`);
  });
}
