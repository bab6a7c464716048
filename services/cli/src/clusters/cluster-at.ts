import { CLUSTER } from '@crate/api';
import type { ApiClient } from '../client/api-client.js';
import { contextOf } from '../client/context.js';
import { apiFlags } from '../commands/api-options.js';
import { objectPath } from '../objects/object-path.js';
import type { ClusterOptions } from './cluster-options.js';

/** One cluster, and the API that has it. */
export interface ClusterAt {
  readonly api: ApiClient;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  /** How a line to copy ends that asks the same API. */
  readonly apiFlags: string;
}

export async function clusterAt(name: string, options: ClusterOptions): Promise<ClusterAt> {
  const { api, namespace } = await contextOf(options);
  return { api, namespace, name, path: objectPath({ kind: CLUSTER, name }, namespace), apiFlags: apiFlags(options) };
}
