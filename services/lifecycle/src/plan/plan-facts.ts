import {
  APPROVED_BY_ANNOTATION,
  parseLifetime,
  toTimestamp,
  type Plan,
  type PlanPhase,
  type PlanStatus,
} from '@crate/api';
import type { CallContext } from '@crate/resource-client';

/** What is known of a plan; of its status, what is not derived from the rest. */
export type PlanFacts = Pick<
  PlanStatus,
  'basis' | 'wanted' | 'consequences' | 'approval' | 'execution' | 'end' | 'failure'
>;

/** How a plan ended. */
export type PlanEnd = NonNullable<PlanStatus['end']>;

/** What earlier passes have found out, and whether somebody approved. */
export function factsOf(plan: Plan): PlanFacts {
  const { basis, wanted, consequences, execution, end } = plan.status ?? {};
  const failure = failureOf(plan);
  const approval = plan.status?.approval ?? approvalOf(plan);
  return {
    ...(basis ? { basis } : {}),
    ...(wanted ? { wanted } : {}),
    ...(consequences ? { consequences } : {}),
    ...(approval ? { approval } : {}),
    ...(execution ? { execution } : {}),
    ...(end ? { end } : {}),
    ...(failure ? { failure } : {}),
  };
}

/** Not of one that was worked out and goes on: that it waited before is over, whoever left it there. */
function failureOf({ status }: Plan): PlanFacts['failure'] {
  return status?.basis && !status.end ? undefined : status?.failure;
}

/** A context in which what is done is on record as decided by whoever approved; as it is while nobody has. */
export function decidedBy(context: CallContext, { approval }: PlanFacts): CallContext {
  return approval ? { ...context, decidedBy: approval.by } : context;
}

/** The annotation's value. */
export function approvalText({ by, at }: NonNullable<PlanFacts['approval']>): string {
  return `${at} ${by}`;
}

/** In the metadata, because it is asked for, and what is asked for wakes the reconciler. */
function approvalOf({ metadata }: Plan): PlanFacts['approval'] {
  const [, at, by] = /^(\S+) (.+)$/s.exec(metadata.annotations?.[APPROVED_BY_ANNOTATION] ?? '') ?? [];
  return at === undefined || by === undefined ? undefined : { by, at };
}

/** Until when a plan can be approved. */
export function expiryOf({ metadata, spec }: Plan): Date {
  return new Date(Date.parse(metadata.creationTimestamp) + (parseLifetime(spec.ttl) ?? 0));
}

/** Where a plan stands. */
export function phaseOf({ basis, approval, execution, end }: PlanFacts): PlanPhase {
  if (end) return end.phase;
  if (execution) return 'Executing';
  if (approval) return 'Approved';
  return basis ? 'Ready' : 'Pending';
}

/** The facts of a plan that has ended. */
export function ended(facts: PlanFacts, end: Omit<PlanEnd, 'at'>, at: Date): PlanFacts {
  return { ...facts, end: { ...end, at: toTimestamp(at) } };
}
