import type { Cluster } from '@crate/api';
import { apiFetch, jsonOf } from '../../api/http.js';
import { KINDS, objectPath } from '../../api/paths.js';
import { warningsOf } from '../../api/warnings.js';
import type { ClusterKey } from './use-cluster-key.js';

/** A change of a cluster as it is sent. */
export interface ClusterChange {
  readonly method: 'PATCH' | 'PUT';
  readonly contentType: string;
  readonly body: unknown;
}

/** What a write leads to, or has led to. */
export interface WriteOutcome {
  readonly cluster: Cluster;
  /** What the server warns of: of a dry run the consequences, a line each. */
  readonly warnings: readonly string[];
}

/** A patch by operations, as RFC 6902 has it; its `test`s refuse it when the cluster has changed meanwhile. */
export function jsonPatch(operations: readonly object[]): ClusterChange {
  return { method: 'PATCH', contentType: 'application/json-patch+json', body: operations };
}

/** Changes a cluster, or works out what that would lead to without doing it. Throws ApiError. */
export async function writeCluster(
  { project, name }: ClusterKey,
  change: ClusterChange,
  { isDry = false, signal }: { readonly isDry?: boolean; readonly signal?: AbortSignal } = {},
): Promise<WriteOutcome> {
  const path = objectPath(KINDS.cluster, name, project);
  const response = await apiFetch(`${path}${isDry ? '?dryRun=All' : ''}`, { ...change, signal });
  return { cluster: await jsonOf<Cluster>(response, signal), warnings: warningsOf(response.headers) };
}
