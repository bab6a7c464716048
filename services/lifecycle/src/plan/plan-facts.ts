import { parseLifetime, toTimestamp, type Plan, type PlanPhase, type PlanStatus } from '@crate/api';

/** What is known of a plan; of its status, what is not derived from the rest. */
export type PlanFacts = Pick<
  PlanStatus,
  'basis' | 'wanted' | 'consequences' | 'approval' | 'execution' | 'end' | 'failure'
>;

/** How a plan ended. */
export type PlanEnd = NonNullable<PlanStatus['end']>;

/** What earlier passes have found out. */
export function factsOf({ status = {} }: Plan): PlanFacts {
  const { basis, wanted, consequences, approval, execution, end, failure } = status;
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
