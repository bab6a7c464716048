import type { Plan } from '@crate/api';
import { apiJson } from '../../../api/http.js';
import { collectionPath, KINDS, objectPath } from '../../../api/paths.js';
import type { ClusterKey } from '../use-cluster-key.js';

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

/** Has this very plan carried out, not another one of its name, and exactly as it is. Throws ApiError. */
export function approvePlan({ metadata: { name, namespace, uid } }: Pick<Plan, 'metadata'>): Promise<unknown> {
  return apiJson(objectPath(KINDS.plan, name, namespace, 'approve'), { method: 'POST', body: { uid } });
}

/** Gives this very plan up, not another one of its name: nothing of it is done. Throws ApiError. */
export function rejectPlan({ metadata: { name, namespace, uid } }: Plan): Promise<unknown> {
  return apiJson(objectPath(KINDS.plan, name, namespace), {
    method: 'DELETE',
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } },
  });
}
