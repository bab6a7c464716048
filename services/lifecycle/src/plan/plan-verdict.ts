import { isDeepStrictEqual } from 'node:util';
import { findCondition, type Infrastructure, type InfrastructureSpec } from '@crate/api';
import { POLICY_DENIED, WORLD_MOVED } from './plan-step.js';

/** Why cloud-mgmt goes no further with an approved plan. */
export interface CloudRefusal {
  /** Of the end of the plan. */
  readonly reason: string;
  readonly message: string;
  /** What becomes of a cluster that keeps the spec of the plan. */
  readonly stays: string;
}

/** By the code of the failure that cloud-mgmt stops with. */
const REFUSALS: Readonly<Record<string, CloudRefusal>> = {
  PlanOutdated: {
    reason: WORLD_MOVED,
    message: 'The world has moved, or the platform was upgraded: Terraform would do something else',
    stays:
      'The world has moved, or the platform was upgraded: Terraform would do something else than what is left of the approved plan, and does no more. ' +
      'The cluster keeps its spec: plan that anew, or another change, and approve that plan',
  },
  PolicyDenied: {
    reason: POLICY_DENIED,
    message: 'Policies refuse what Terraform would do',
    stays:
      'Policies refuse what is left of the approved plan. The cluster keeps its spec: ' +
      'what is left is done once they allow it, unless another change is planned or made',
  },
};

type Held = Pick<InfrastructureSpec, 'approvedPlan'>;

/** Why cloud-mgmt goes no further with the approved plan that it is held to; undefined where it does. Pure. */
export function refusalOf(
  { metadata, spec, status }: Infrastructure,
  { approvedPlan }: Held,
): CloudRefusal | undefined {
  if (!isDeepStrictEqual(spec.approvedPlan, approvedPlan)) return undefined;
  // A failure that is left from before this spec says nothing.
  const judged = findCondition(status?.conditions, 'Ready')?.observedGeneration;
  return judged === metadata.generation ? REFUSALS[status?.failure?.code ?? ''] : undefined;
}

/** Whether cloud-mgmt has found another plan than the approved one it is held to, and goes no further. Pure. */
export function isOutdated(infrastructure: Infrastructure, held: Held): boolean {
  return refusalOf(infrastructure, held)?.reason === WORLD_MOVED;
}

/** Whether cloud-mgmt has begun the plan that it is held to: some of it may be there. Pure. */
export function isBegun({ spec, status }: Infrastructure): boolean {
  return isKnown(status?.approvedPlan, spec);
}

/** Whether cloud-mgmt has done all of the plan that it is to be held to. Pure. */
export function isDone({ status }: Infrastructure, held: Held): boolean {
  const known = status?.approvedPlan;
  return isKnown(known, held) && known?.executedAt !== undefined;
}

function isKnown(known: NonNullable<Infrastructure['status']>['approvedPlan'], { approvedPlan: asked }: Held): boolean {
  return known !== undefined && known.name === asked?.name && known.digest === asked.digest;
}
