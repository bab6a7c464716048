import { findCondition, type Condition, type Failure, type KubeObject } from '@crate/api';

interface Worked extends KubeObject {
  spec?: { readonly paused?: boolean };
  status?: { conditions?: readonly Condition[] | undefined; failure?: Failure | undefined };
}

/** Whether more runs are to be expected for an object as it is: it is not what its spec asks for, and can be without a change of it. */
export function isWorkAhead(object: KubeObject): boolean {
  const { metadata, spec, status } = object as Worked;
  if (metadata.deletionTimestamp !== undefined) return true;
  if (spec?.paused === true) return false;
  const ready = findCondition(status?.conditions, 'Ready');
  const isCurrent = (ready?.observedGeneration ?? 0) >= metadata.generation;
  if (!isCurrent) return true;
  if (ready?.status === 'True') return false;
  return status?.failure?.retryable !== false;
}
