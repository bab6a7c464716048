import type { Cluster } from '@crate/api';
import { apiJson } from '../../api/http.js';
import { KINDS, objectPath } from '../../api/paths.js';
import type { ClusterKey } from './use-cluster-key.js';

const MERGE_PATCH = 'application/merge-patch+json';

/** Changes a cluster by a merge patch. Throws ApiError. */
export function patchCluster({ project, name }: ClusterKey, patch: unknown): Promise<Cluster> {
  return apiJson<Cluster>(objectPath(KINDS.cluster, name, project), {
    method: 'PATCH',
    contentType: MERGE_PATCH,
    body: patch,
  });
}

/** Sets annotations of a cluster; `null` takes one away. Throws ApiError. */
export function annotate(key: ClusterKey, annotations: Readonly<Record<string, string | null>>): Promise<Cluster> {
  return patchCluster(key, { metadata: { annotations } });
}

/** Asks for the deletion of this very cluster, not of another one of its name. Throws ApiError. */
export function deleteCluster({ metadata }: Cluster): Promise<unknown> {
  const { name, namespace, uid } = metadata;
  return apiJson(objectPath(KINDS.cluster, name, namespace), {
    method: 'DELETE',
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } },
  });
}
