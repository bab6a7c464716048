import type { Cluster } from '@crate/api';
import { clusterAt } from '../clusters/cluster-at.js';
import type { WritingOptions } from '../clusters/cluster-options.js';
import { printObject } from '../objects/object-output.js';

/** Has a cluster left as it is. */
export async function runPause(cluster: string, options: WritingOptions): Promise<void> {
  await setPaused(cluster, options, true);
}

/** Has it worked on again. */
export async function runResume(cluster: string, options: WritingOptions): Promise<void> {
  await setPaused(cluster, options, false);
}

async function setPaused(cluster: string, options: WritingOptions, paused: boolean): Promise<void> {
  const { api, path } = await clusterAt(cluster, options);
  const set = await api.merge<Cluster>(path, { spec: { paused } });
  printObject(options.output, set, `Cluster "${cluster}" is ${paused ? 'paused' : 'worked on again'}`);
}
