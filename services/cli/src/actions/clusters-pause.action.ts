import type { Cluster } from '@crate/api';
import { clusterAt } from '../clusters/cluster-at.js';
import type { ClusterOptions } from '../clusters/cluster-options.js';

/** Has a cluster left as it is. */
export async function runPause(cluster: string, options: ClusterOptions): Promise<void> {
  await setPaused(cluster, options, true);
}

/** Has it worked on again. */
export async function runResume(cluster: string, options: ClusterOptions): Promise<void> {
  await setPaused(cluster, options, false);
}

async function setPaused(cluster: string, options: ClusterOptions, paused: boolean): Promise<void> {
  const { api, path } = await clusterAt(cluster, options);
  await api.merge<Cluster>(path, { spec: { paused } });
  console.log(`Cluster "${cluster}" is ${paused ? 'paused' : 'worked on again'}`);
}
