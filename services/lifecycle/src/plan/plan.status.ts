import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  conditionUnknown,
  consequenceSummary,
  mergeConditions,
  toTimestamp,
  type ConditionFact,
  type Plan,
  type PlanPhase,
  type PlanStatus,
} from '@crate/api';
import { expiryOf, phaseOf, type PlanFacts } from './plan-facts.js';
import { plannerOf } from './plan.admission.js';

/** Phases in which the consequences stand. */
const GOOD: readonly PlanPhase[] = ['Ready', 'Approved', 'Executing', 'Executed'];

export interface PlanStatusContext {
  readonly now: Date;
  /** What the plan waits for. */
  readonly waitingFor?: string;
}

/** What a person reads about a plan. Pure. */
export function planStatus(plan: Plan, facts: PlanFacts, { now, waitingFor }: PlanStatusContext): PlanStatus {
  const { generation } = plan.metadata;
  const summary = facts.consequences ? consequenceSummary(facts.consequences) : undefined;
  const plannedBy = plannerOf(plan);
  const conditions = [ready(facts, waitingFor ?? summary ?? ''), approved(plan, facts), executed(facts, waitingFor)];
  return {
    observedGeneration: generation,
    conditions: mergeConditions(plan.status?.conditions, conditions, { generation, now }),
    expiresAt: toTimestamp(expiryOf(plan)),
    ...(summary === undefined ? {} : { summary }),
    ...(plannedBy === '' ? {} : { plannedBy }),
    ...facts,
  };
}

function ready(facts: PlanFacts, text: string): ConditionFact {
  const phase = phaseOf(facts);
  const message = conditionMessage(facts.end?.message ?? text);
  return GOOD.includes(phase) ? conditionTrue('Ready', phase, message) : conditionFalse('Ready', phase, message);
}

function approved({ metadata }: Plan, { approval, end }: PlanFacts): ConditionFact {
  if (approval) return conditionTrue('Approved', 'Approved', conditionMessage(`By ${approval.by}`));
  if (end) return conditionFalse('Approved', end.reason, '');
  const how = `crate plan approve ${metadata.name} -n ${metadata.namespace ?? ''}`;
  return conditionFalse('Approved', 'NotApproved', conditionMessage(`Nobody has approved the plan yet: ${how}`));
}

function executed(facts: PlanFacts, waitingFor: string | undefined): ConditionFact {
  const { end, approval } = facts;
  if (end?.phase === 'Executed') return conditionTrue('Executed', end.reason, conditionMessage(end.message));
  if (end) return conditionFalse('Executed', end.reason, conditionMessage(end.message));
  if (!approval) return conditionFalse('Executed', 'NotApproved', 'Nothing is done before it is approved');
  return conditionUnknown('Executed', 'InProgress', conditionMessage(waitingFor ?? 'Being carried out'));
}
