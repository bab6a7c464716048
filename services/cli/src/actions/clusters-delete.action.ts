import { FORCE_ANNOTATION, type Cluster } from '@crate/api';
import { badRequest } from '@crate/errors';
import { clusterAt } from '../clusters/cluster-at.js';
import type { ClusterOptions } from '../clusters/cluster-options.js';
import { goneOne, untilGone } from '../objects/deletion.js';

interface DeleteOptions extends ClusterOptions {
  readonly force?: boolean;
  readonly reason?: string;
  readonly wait: boolean;
  readonly timeout: number;
}

export async function runClustersDelete(name: string, options: DeleteOptions): Promise<void> {
  const reason = reasonOf(options);
  const { api, path } = await clusterAt(name, options);
  const { uid } = (await api.get<Cluster>(path)).metadata;
  await api.removeExisting(path, { uid });
  if (reason !== undefined) await api.merge(path, { metadata: { annotations: { [FORCE_ANNOTATION]: reason } } });
  console.log(`Cluster "${name}" is being deleted${reason === undefined ? '' : ', whatever blocks it'}`);
  if (options.wait) await untilGone(api, [goneOne(`cluster/${name}`, path, uid)], options.timeout);
}

/** Undefined when nothing is forced. */
function reasonOf({ force, reason }: DeleteOptions): string | undefined {
  if (force !== true) {
    if (reason === undefined) return undefined;
    throw badRequest('--reason is for --force only');
  }
  if (reason !== undefined && reason.trim() !== '') return reason;
  throw badRequest('--force needs --reason: say why what is in the way may be left behind');
}
