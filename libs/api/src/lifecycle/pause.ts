import { conditionFalse, conditionTrue, type ConditionFact } from '../object/conditions.js';
import type { KubeObject } from '../object/object.js';

/**
 * Said by lifecycle to the Infrastructure and the KubernetesCluster of a Cluster that is paused, and taken off again. No field of the spec: a
 * pause asks for nothing, so it is no reason to apply what only a release changed.
 */
export const PAUSED_ANNOTATION = 'lifecycle.crate.dev/paused';

/** Reason of what waits for the end of the pause. */
export const PAUSED = 'Paused';

/** What people read of a part of a paused Cluster. */
export const PART_PAUSED = 'Nothing is begun until spec.paused of the Cluster is set back';

/** Whether nothing may be begun for a part of a Cluster. What is being deleted goes all the same. */
export function isPaused({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.deletionTimestamp === undefined && metadata.annotations?.[PAUSED_ANNOTATION] !== undefined;
}

/** The condition `Paused` of a part of a Cluster. Pure. */
export function pausedFact(isHeld: boolean): ConditionFact {
  return isHeld ? conditionTrue('Paused', PAUSED, PART_PAUSED) : conditionFalse('Paused', 'NotPaused', '');
}
