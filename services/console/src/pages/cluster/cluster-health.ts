import type { Cluster, FleetHealth } from '@crate/api';
import { conditionOf, isTrue } from './conditions.js';

/** How a cluster stands, why, and what to do. */
export interface ClusterHealth {
  readonly health: FleetHealth;
  /** In the words of what reports it. */
  readonly message?: string;
  readonly remedy?: string;
  /** Field of the spec that caused it. */
  readonly field?: string;
  /** Stable reason code. */
  readonly code?: string;
  readonly traceId?: string;
}

/** The most pressing of what can be said of a cluster. Pure. */
export function clusterHealth(cluster: Cluster): ClusterHealth {
  const { spec, status, metadata } = cluster;
  if (metadata.deletionTimestamp !== undefined) return deleting(cluster);
  if (spec.paused) return { health: 'Paused' };
  if (status?.failure) return { health: 'Failing', ...status.failure };
  return conditionHealth(cluster);
}

function conditionHealth(cluster: Cluster): ClusterHealth {
  const { status } = cluster;
  const ready = conditionOf(status?.conditions, 'Ready');
  if (ready?.status === 'True') return serving(cluster);
  if (ready?.status === 'Unknown') return { health: 'Degraded', message: ready.message };
  const lost = lostNodes(cluster);
  if (lost !== undefined) return { health: 'Degraded', message: lost };
  return { health: 'Progressing', message: status?.progress?.message ?? ready?.message ?? '' };
}

function deleting({ status }: Cluster): ClusterHealth {
  const blocker = status?.deletion?.blockers[0];
  const isBlocked = conditionOf(status?.conditions, 'Deleting')?.reason === 'DeletionBlocked';
  if (!blocker) return { health: 'Deleting', ...(status?.failure ?? {}) };
  const { message, remedy } = blocker;
  return { health: isBlocked ? 'Blocked' : 'Deleting', message, ...(remedy === undefined ? {} : { remedy }) };
}

/** It is ready, and yet not everything of it may be as it should be. */
function serving({ status }: Cluster): ClusterHealth {
  for (const type of ['InSync', 'PolicyCompliant']) {
    const condition = conditionOf(status?.conditions, type);
    if (condition?.status === 'False') return { health: 'Degraded', message: condition.message };
  }
  return { health: 'Healthy' };
}

/** Nodes are missing that were there: nothing was asked for that is still to be done. */
function lostNodes({ metadata, status }: Cluster): string | undefined {
  const nodes = conditionOf(status?.conditions, 'NodesReady');
  const isSettled = status?.observedGeneration === metadata.generation;
  const isUp = isTrue(status?.conditions, 'ControlPlaneReady');
  return isSettled && isUp && nodes?.status === 'False' ? nodes.message : undefined;
}
