import type { Cluster } from '@crate/api';
import i18next from 'i18next';
import { ApiError } from '../../../api/api-error.js';
import { apiJson } from '../../../api/http.js';
import { KINDS, objectPath } from '../../../api/paths.js';
import { writeCluster, type WriteOutcome } from '../dry-run.js';
import type { ClusterKey } from '../use-cluster-key.js';
import { isSameDocument, replacementOf } from './cluster-yaml.js';

interface Replacement {
  readonly text: string;
  /** What the text was made from. */
  readonly base: Cluster;
  readonly isDry: boolean;
}

/**
 * Writes a text in a cluster's place, or works out what that would lead to. Refused when anything that people edit is no
 * longer as in `base`; a status that was written meanwhile is no reason. Throws ApiError, and Error for what is no YAML.
 */
export async function replaceCluster(key: ClusterKey, { text, base, isDry }: Replacement): Promise<WriteOutcome> {
  const put = (at: Cluster): Promise<WriteOutcome> =>
    writeCluster(key, { method: 'PUT', contentType: 'application/json', body: replacementOf(text, at) }, { isDry });
  try {
    return await put(base);
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'Conflict') throw error;
    return put(await newestOf(key, base));
  }
}

/** The newest version of a cluster. Throws ApiError: `Conflict` when anything that people edit is no longer as in `base`. */
export async function newestOf({ project, name }: ClusterKey, base: Cluster): Promise<Cluster> {
  const newest = await apiJson<Cluster>(objectPath(KINDS.cluster, name, project));
  if (!isSameDocument(newest, base)) throw new ApiError(409, 'Conflict', i18next.t('cluster:yaml.conflict'));
  return newest;
}
