import { findCondition, type Cluster, type FleetCause } from '@crate/api';
import { rankOf, type Standing } from './attention.js';
import { deletionFinding } from './deletion-finding.js';
import { driftFinding, policyFinding } from './decision-findings.js';
import type { Finding } from './finding.js';
import { failureFinding, silenceFinding } from './failure-findings.js';
import { journeyFinding } from './journey-finding.js';

/** How a cluster stands. */
export interface ClusterHealth extends Standing {
  /** Absent: there is nothing to say. */
  readonly cause?: FleetCause;
  readonly later?: Finding['later'];
}

const HEALTHY: ClusterHealth = { health: 'Healthy', concern: 'None' };

/** What an operator wants to read of a cluster first: the most pressing of all that can be said of it. Pure. */
export function healthOfCluster(cluster: Cluster): ClusterHealth {
  return findingsOf(cluster).reduce<ClusterHealth>(morePressing, HEALTHY);
}

const LOOKS = [failureFinding, silenceFinding, policyFinding, driftFinding, journeyFinding];

function findingsOf(cluster: Cluster): readonly Finding[] {
  if (cluster.metadata.deletionTimestamp !== undefined) return [deletionFinding(cluster)];
  if (cluster.spec.paused) return [pauseFinding(cluster)];
  return LOOKS.flatMap((look) => look(cluster) ?? []);
}

/** Of two that are as pressing the one that has stood longer. */
function morePressing(left: ClusterHealth, right: Finding): ClusterHealth {
  const difference = rankOf(right.concern) - rankOf(left.concern);
  if (difference !== 0) return difference > 0 ? right : left;
  return right.cause.since < (left.cause?.since ?? '') ? right : left;
}

function pauseFinding({ metadata, status }: Cluster): Finding {
  const condition = findCondition(status?.conditions, 'Paused');
  const since = condition?.status === 'True' ? condition.lastTransitionTime : metadata.creationTimestamp;
  const message = 'Nothing is begun while it is paused';
  const remedy = 'Set spec.paused to false when the work on it is done';
  return {
    health: 'Paused',
    concern: 'Paused',
    cause: { condition: 'Paused', reason: 'Paused', message, since, remedy },
  };
}
