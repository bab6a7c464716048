import { conditionFalse, conditionTrue, type ConditionFact } from '../object/conditions.js';
import type { KubeObject } from '../object/object.js';

/**
 * Said by lifecycle to each part of a Cluster that is paused, and taken off again once that part was told what is asked for by then. No field of
 * the spec: a pause asks for nothing, so it is no reason to apply what only a release changed.
 */
export const PAUSED_ANNOTATION = 'lifecycle.crate.dev/paused';

/** Reason of what waits for the end of the pause. */
export const PAUSED = 'Paused';

/** What people read of a part of a paused Cluster, or of one that goes on and has not come to this part. */
export const PART_PAUSED = 'Nothing is begun until the Cluster goes on and tells this part what is asked for by then';

/** Whether nothing may be begun for a part of a Cluster. What is being deleted goes all the same. */
export function isPaused({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.deletionTimestamp === undefined && metadata.annotations?.[PAUSED_ANNOTATION] !== undefined;
}

/** The condition `Paused` of a part of a Cluster. Pure. */
export function pausedFact(isHeld: boolean): ConditionFact {
  return isHeld ? conditionTrue('Paused', PAUSED, PART_PAUSED) : conditionFalse('Paused', 'NotPaused', '');
}
