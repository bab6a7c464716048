import { findCondition, PLAN_HELPS, type Cluster } from '@crate/api';
import type { Finding, OpenPlan } from './finding.js';
import { causeOf } from './journey-finding.js';

/** Reasons of InSync for which nothing is put back before somebody decides. */
const HELD: ReadonlySet<string> = new Set(['OnHold', 'CorrectionHeld', ...PLAN_HELPS]);

/** It stands, and breaks a rule that must hold: rules may come later than clusters. */
export function policyFinding({ status }: Cluster): Finding | undefined {
  const condition = findCondition(status?.conditions, 'PolicyCompliant');
  if (condition?.status !== 'False') return undefined;
  const remedy = 'Change what the rule names, or ask for a waiver';
  const cause = { ...causeOf({ condition, since: condition.lastTransitionTime }), remedy };
  return { health: 'Degraded', concern: 'Differs', cause };
}

/** The cloud is not as it was applied. */
export function driftFinding({ metadata, status }: Cluster): Finding | undefined {
  const condition = findCondition(status?.conditions, 'InSync');
  if (condition?.status !== 'False') return undefined;
  const remedy = PLAN_HELPS.has(condition.reason)
    ? 'Plan the spec that the cluster has, and approve that plan'
    : `crate drift show ${metadata.name} -n ${metadata.namespace ?? ''} shows what differs, and puts it back or keeps it`;
  const cause = { ...causeOf({ condition, since: condition.lastTransitionTime }), remedy };
  if (HELD.has(condition.reason)) return { health: 'Blocked', concern: 'Decision', cause };
  return { health: 'Degraded', concern: 'Differs', cause };
}

/** Somebody wants to change it, and waits for somebody to agree. */
export function planFinding({ name, namespace, summary, since }: OpenPlan): Finding {
  const message = `Plan "${name}" waits for approval${summary === '' ? '' : `: ${summary}`}`;
  const remedy = `crate plan show ${name} -n ${namespace}, then approve it or let it expire`;
  const cause = { condition: 'Approved', reason: 'NotApproved', message, since, remedy };
  return { health: 'Blocked', concern: 'Decision', cause };
}
