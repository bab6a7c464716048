import type { Cluster } from '@crate/api';
import { ApiError } from '../../../api/api-error.js';
import { apiJson } from '../../../api/http.js';
import { KINDS, objectPath } from '../../../api/paths.js';
import { patchCluster } from '../cluster-writes.js';
import type { ClusterKey } from '../use-cluster-key.js';
import type { KEEP_VOLUMES, REMOVE_VOLUMES } from './consent.js';
import { decidedVolumes } from './decided-volumes.js';

/** A cluster that is being deleted changes all the time, and others decide about its other volumes. */
const ATTEMPTS = 5;

/**
 * Adds a volume to those that an annotation names, as they are named now: two who decide at once do not take each other's word away. Throws
 * ApiError.
 */
export async function decideVolume(
  key: ClusterKey,
  annotation: typeof KEEP_VOLUMES | typeof REMOVE_VOLUMES,
  volume: string,
): Promise<Cluster> {
  for (let attempt = 1; ; attempt += 1) {
    const cluster = await apiJson<Cluster>(objectPath(KINDS.cluster, key.name, key.project));
    const volumes = [...new Set([...decidedVolumes(cluster)[annotation], volume])].join(',');
    const { resourceVersion } = cluster.metadata;
    try {
      return await patchCluster(key, { metadata: { resourceVersion, annotations: { [annotation]: volumes } } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409 || attempt === ATTEMPTS) throw error;
    }
  }
}
