import { FORCE_ANNOTATION, type Cluster } from '@crate/api';
import { badRequest, isPlatformError, PlatformError } from '@crate/errors';
import { isAbsence } from '../client/absence.js';
import type { ApiClient } from '../client/api-client.js';
import { clusterAt, type ClusterAt } from '../clusters/cluster-at.js';
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
  if (reason !== undefined) await requireForce(api, path, reason);
  await api.removeExisting(path, { uid });
  if (reason !== undefined) await force({ api, name, path }, reason);
  console.log(`Cluster "${name}" is being deleted${reason === undefined ? '' : ', whatever blocks it'}`);
  if (options.wait) await untilGone(api, [goneOne(`cluster/${name}`, path, uid)], options.timeout);
}

/** Before anything is deleted: throws what the platform says to who may not force, or with a reason that it does not take. */
async function requireForce(api: ApiClient, path: string, reason: string): Promise<void> {
  try {
    await api.merge(`${path}?dryRun=All`, forced(reason));
  } catch (error) {
    // Said of who may: the deletion is next.
    if (!isPlatformError(error) || !error.details.causes?.some((cause) => cause.reason === 'DeletionNotRequested'))
      throw error;
  }
}

async function force({ api, name, path }: Pick<ClusterAt, 'api' | 'name' | 'path'>, reason: string): Promise<void> {
  try {
    await api.merge(path, forced(reason));
  } catch (error) {
    // Nothing was in the way.
    if (isAbsence(error)) return;
    if (!isPlatformError(error)) throw error;
    const message = `Cluster "${name}" is being deleted, but not forced: ${error.message}`;
    throw new PlatformError(error.code, message, { details: error.details, cause: error.cause });
  }
}

function forced(reason: string): object {
  return { metadata: { annotations: { [FORCE_ANNOTATION]: reason } } };
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
