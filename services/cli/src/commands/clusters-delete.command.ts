import type { Command } from 'commander';
import { FORCE_ANNOTATION, type Cluster } from '@crate/api';
import { badRequest } from '@crate/errors';
import { clusterAt, onOneCluster, type ClusterOptions } from '../clusters/cluster-options.js';
import { goneOne, untilGone } from './delete.command.js';
import { durationOption } from './common-options.js';

const TIMEOUT = '1h';

interface DeleteOptions extends ClusterOptions {
  readonly force?: boolean;
  readonly reason?: string;
  readonly wait: boolean;
  readonly timeout: number;
}

/** `crate clusters delete`: `crate delete cluster`, which may be forced. */
export function clustersDeleteCommand(): Command {
  return onOneCluster('delete', 'Delete a cluster, and say what is in the way until it is gone')
    .option('--force', 'give up what blocks the deletion, and record it; for administrators of the Project')
    .option('--reason <text>', 'why, for the record of a forced deletion')
    .option('--no-wait', 'do not wait until the cluster is gone')
    .addOption(durationOption('--timeout <duration>', 'how long to wait', TIMEOUT))
    .action(async (name: string, options: DeleteOptions) => {
      const reason = reasonOf(options);
      const { api, path } = await clusterAt(name, options);
      const { uid } = (await api.get<Cluster>(path)).metadata;
      await api.removeExisting(path, { uid });
      if (reason !== undefined) await api.merge(path, { metadata: { annotations: { [FORCE_ANNOTATION]: reason } } });
      console.log(`Cluster "${name}" is being deleted${reason === undefined ? '' : ', whatever blocks it'}`);
      if (options.wait) await untilGone(api, [goneOne(`cluster/${name}`, path, uid)], options.timeout);
    });
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
