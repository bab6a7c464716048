import type { Cluster, Plan } from '@crate/api';
import i18next from 'i18next';
import { ApiError } from '../../../api/api-error.js';
import { apiJson } from '../../../api/http.js';
import { collectionPath, KINDS, objectPath } from '../../../api/paths.js';
import type { ClusterKey } from '../use-cluster-key.js';
import { isRepeatable } from './plan-phase.js';

/** What is planned: exactly one of these. */
export type Planned = Partial<Pick<Plan['spec'], 'changes' | 'wanted' | 'destroy'>>;

/** Has the consequences of a change worked out. Throws ApiError. */
export function createPlan({ project, name }: ClusterKey, planned: Planned): Promise<Plan> {
  return apiJson<Plan>(collectionPath(KINDS.plan, project), {
    method: 'POST',
    body: {
      apiVersion: `${KINDS.plan.group}/${KINDS.plan.version}`,
      kind: KINDS.plan.kind,
      metadata: { generateName: `${name}-`, namespace: project },
      spec: { clusterRef: { name }, ...planned },
    },
  });
}

/** Has the same worked out anew. Throws ApiError: `Conflict` when that would take back what others changed since. */
export async function repeatPlan(key: ClusterKey, plan: Plan): Promise<Plan> {
  const { clusterRef: _same, ttl: _usual, ...planned } = plan.spec;
  if (planned.wanted !== undefined) {
    // The page may not have heard yet of what others changed.
    const newest = await apiJson<Cluster>(objectPath(KINDS.cluster, key.name, key.project));
    if (!isRepeatable(plan, newest)) throw new ApiError(409, 'Conflict', i18next.t('cluster:plan.anewAsYaml'));
  }
  return createPlan(key, planned);
}

/** Has this very plan carried out, not another one of its name, and exactly as it is. Throws ApiError. */
export function approvePlan({ metadata: { name, namespace, uid } }: Pick<Plan, 'metadata'>): Promise<unknown> {
  return apiJson(objectPath(KINDS.plan, name, namespace, 'approve'), { method: 'POST', body: { uid } });
}

/** Gives this very plan up as it was seen, not another one of its name, nor one approved since: nothing of it is done. Throws ApiError. */
export function rejectPlan({ metadata: { name, namespace, uid, resourceVersion } }: Plan): Promise<unknown> {
  return apiJson(objectPath(KINDS.plan, name, namespace), {
    method: 'DELETE',
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } },
  });
}
