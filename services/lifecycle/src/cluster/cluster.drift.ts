import {
  apiVersionOf,
  CHECK_DRIFT_ANNOTATION,
  CLUSTER,
  conditionFalse,
  conditionUnknown,
  driftReportSchema,
  factOf,
  findCondition,
  INFRASTRUCTURE,
  isExisting,
  PLAN_HELPS,
  RESOLVE_DRIFT_ANNOTATION,
  type Cluster,
  type ConditionFact,
  type DriftReport,
  type DriftStatus,
  type Infrastructure,
} from '@crate/api';
import { hasCode, notFound } from '@crate/errors';
import type { ResourceApi } from '@crate/resource-client';
import type { SubresourceReader } from '@crate/resource-server';
import type { ClusterScope } from './cluster.scope.js';

/** What people ask of the comparison with the cloud goes on to who makes it. */
export function driftAnnotations({ metadata }: Cluster): Record<string, string> {
  const asked = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(asked.filter(([name]) => DRIFT_ANNOTATIONS.includes(name)));
}

const DRIFT_ANNOTATIONS: readonly string[] = [CHECK_DRIFT_ANNOTATION, RESOLVE_DRIFT_ANNOTATION];

/** How the infrastructure stands to the cloud; undefined while there is none. */
export function driftFact(infrastructure: Infrastructure | undefined): ConditionFact | undefined {
  if (!infrastructure) return undefined;
  const { conditions } = infrastructure.status ?? {};
  const hold = findCondition(conditions, 'OnHold');
  if (hold?.status === 'True') {
    return conditionFalse('InSync', PLAN_HELPS.has(hold.reason) ? hold.reason : 'OnHold', hold.message);
  }
  const found = findCondition(conditions, 'InSync');
  return found ? factOf(found) : neverCompared();
}

/** What differs, as last heard. */
export function knownDrift({ cluster, infrastructure }: ClusterScope): DriftStatus | undefined {
  return infrastructure ? infrastructure.status?.drift : cluster.status?.drift;
}

/** Of a cluster without an infrastructure. */
export function neverCompared(): ConditionFact {
  return conditionUnknown('InSync', 'NotChecked', 'Not compared with the cloud yet');
}

/** Reads what comparisons of a cluster's resources with the cloud have found. Throws NotFound while there are none. */
export function clusterDrift(cloudMgmt: ResourceApi): SubresourceReader {
  return async (cluster, _ref, context): Promise<DriftReport> => {
    const { group, version, plural } = INFRASTRUCTURE;
    const { name, namespace = '' } = cluster.metadata;
    if (isExisting(cluster as Cluster)) throw notFound('driftreports', name, CLUSTER.group);
    try {
      const ref = { group, version, plural, name, namespace };
      const report = driftReportSchema.parse(await cloudMgmt.readSubresource(ref, 'drift', context));
      return { ...report, apiVersion: apiVersionOf(CLUSTER) };
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
      throw notFound('driftreports', name, CLUSTER.group);
    }
  };
}
