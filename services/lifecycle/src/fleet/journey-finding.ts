import { findCondition, isConditionTrue, type Cluster } from '@crate/api';
import type { Finding } from './finding.js';
import { isEstablished, openPhase, summaryOf, type OpenPhase } from './journey.js';

const MINUTE_MS = 60_000;
/** New machines that joined no later than this are new machines; nodes that are lost later are lost. */
const JOINING_MS = 5 * MINUTE_MS;
/** How long parts of a cluster that is up may take to become ready. */
const PARTS_MS = 15 * MINUTE_MS;
/** How long a phase with machines in it may take. */
const PHASE_MS = 60 * MINUTE_MS;

/** What is under way, or what of a cluster that is up is missing; nothing for one that is ready as it is asked for. */
export function journeyFinding(cluster: Cluster): Finding | undefined {
  const { metadata, status } = cluster;
  if (isConditionTrue(status?.conditions, 'Ready', metadata.generation)) return undefined;
  const phase = openPhase(cluster);
  if (!phase) return underWay(summaryOf(cluster, 'Ready'), PHASE_MS);
  if (!isEstablished(cluster)) return underWay(phase, PHASE_MS);
  return isLoss(cluster, phase) ? degraded(phase) : underWay(phase, PARTS_MS);
}

/** Nodes that were there: not those that have yet to join. */
function isLoss(cluster: Cluster, { condition }: OpenPhase): boolean {
  if (condition.type !== 'NodesReady') return false;
  const machinesAt = changedAt(cluster, 'InfrastructureReady');
  const addOnsAt = changedAt(cluster, 'AddOnsReady');
  const lostAt = Date.parse(condition.lastTransitionTime);
  // Add-ons come after nodes: when they became ready on these machines, all nodes had joined.
  const hadAddOns = isConditionTrue(cluster.status?.conditions, 'AddOnsReady') && machinesAt < addOnsAt;
  return (hadAddOns && addOnsAt < lostAt) || lostAt - machinesAt > JOINING_MS;
}

function changedAt({ status }: Cluster, type: 'InfrastructureReady' | 'AddOnsReady'): number {
  return Date.parse(findCondition(status?.conditions, type)?.lastTransitionTime ?? '');
}

function underWay(phase: OpenPhase, patienceMs: number): Finding {
  const atMs = Date.parse(phase.since) + patienceMs;
  const later =
    patienceMs === PARTS_MS
      ? ({ health: 'Degraded', concern: 'Degraded' } as const)
      : ({ health: 'Progressing', concern: 'Lasting' } as const);
  return { health: 'Progressing', concern: 'UnderWay', cause: causeOf(phase), later: { ...later, atMs } };
}

function degraded(phase: OpenPhase): Finding {
  const remedy = 'Look at the nodes and the events of the cluster: it serves with what it has';
  return { health: 'Degraded', concern: 'Degraded', cause: { ...causeOf(phase), remedy } };
}

/** The cause as the condition states it. */
export function causeOf({ condition, since }: OpenPhase): Finding['cause'] {
  const { type, reason, message } = condition;
  return { condition: type, reason, message, since };
}
