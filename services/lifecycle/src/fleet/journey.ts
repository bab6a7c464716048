import { CLUSTER_CONDITIONS, findCondition, isExisting, type Cluster, type Condition } from '@crate/api';

/** A phase of the journey that is not done. */
export interface OpenPhase {
  readonly condition: Condition;
  /** When the phases before it were done and it was not: since then it is the one in the way. */
  readonly since: string;
}

/** The phases beyond the review of the spec, which has findings of its own. */
const PHASES = CLUSTER_CONDITIONS.filter((type) => type !== 'PolicyCompliant');

/** The first phase of the journey that is not done, in the order of the phases; undefined when all are. */
export function openPhase({ status }: Cluster): OpenPhase | undefined {
  let since = '';
  for (const type of PHASES) {
    const condition = findCondition(status?.conditions, type);
    if (!condition) return undefined;
    if (condition.lastTransitionTime > since) since = condition.lastTransitionTime;
    if (condition.status !== 'True') return { condition, since };
  }
  return undefined;
}

/** The condition that says so when no phase does. */
export function summaryOf({ metadata, status }: Cluster, type: 'Ready' | 'Synced'): OpenPhase {
  const condition = findCondition(status?.conditions, type);
  if (condition) return { condition, since: condition.lastTransitionTime };
  const since = metadata.creationTimestamp;
  const unseen = { type, status: 'Unknown', reason: 'NotStarted', message: 'Nobody has looked at it yet' } as const;
  return { condition: { ...unseen, lastTransitionTime: since }, since };
}

/** Whether it runs the version that is asked for, on machines that are there. */
export function isEstablished({ spec, status }: Cluster): boolean {
  const infrastructure = findCondition(status?.conditions, 'InfrastructureReady');
  if (isExisting({ spec })) return status?.version !== undefined;
  return status?.version === spec.kubernetes.version && infrastructure?.status === 'True';
}
