import { findCondition, isConditionTrue, type Condition, type KubeObject } from '@crate/api';

/** How long a pass waits for a child at first; a change of the child wakes it much earlier. */
export const CHILD_POLL_MS = 15_000;

/** Why a pass ends that waits for cloud-mgmt. */
export const WAITING_FOR_INFRASTRUCTURE = 'WaitingForInfrastructure';

/** Any child of ours that reports conditions. */
export interface ConditionedChild extends KubeObject {
  status?: { conditions?: Condition[] | undefined; observedGeneration?: number | undefined };
}

/** Ready, and about the spec as it is now, not about an earlier one. */
export function isReadyNow(child: KubeObject): boolean {
  const { conditions } = (child as ConditionedChild).status ?? {};
  return isConditionTrue(conditions, 'Ready', child.metadata.generation);
}

/** Ready when it was looked at last, which was before its spec became what it is now. */
export function wasReady(child: KubeObject): boolean {
  const { conditions } = (child as ConditionedChild).status ?? {};
  return isConditionTrue(conditions, 'Ready') && !isReadyNow(child);
}

/** The child's own word on why it is not ready. */
export function readyMessage(child: KubeObject): string {
  const { conditions } = (child as ConditionedChild).status ?? {};
  return findCondition(conditions, 'Ready')?.message || 'Not started yet';
}
