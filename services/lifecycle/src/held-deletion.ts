import { conditionFalse, conditionMessage, type ConditionFact, type KubeObject } from '@crate/api';

/** Ready of an object that is being deleted and that its own reconciler holds with no finalizer; undefined for one that stays. Pure. */
export function heldDeletion({ metadata }: KubeObject): ConditionFact | undefined {
  const { deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) return undefined;
  const message = `Being deleted, and held by finalizers: ${[...finalizers].sort().join(', ')}. Whoever set them has to let go`;
  return conditionFalse('Ready', 'Deleting', conditionMessage(message));
}
