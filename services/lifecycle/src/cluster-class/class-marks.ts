import type { KubeObject } from '@crate/api';

/** Moves a cluster to a revision of its class, a number or `newest`; taken away once it was done. */
export const MOVE_ANNOTATION = 'lifecycle.crate.dev/class-revision';

/** On a cluster that a rollout moved: the revision it was moved to. */
export const ROLLOUT_ANNOTATION = 'lifecycle.crate.dev/class-rollout';

/** On a cluster that somebody moved below the newest revision: that one. Rollouts leave it there until there is a newer one. ADR 0488 */
export const HELD_ANNOTATION = 'lifecycle.crate.dev/class-held';

type Marked = Pick<KubeObject, 'metadata'>;

/** Where the cluster is told to move to. */
export function moveOf({ metadata }: Marked): string | undefined {
  return metadata.annotations?.[MOVE_ANNOTATION];
}

/** True when a rollout moved it to that revision, wherever it is now. */
export function wasMoved({ metadata }: Marked, revision: number): boolean {
  return metadata.annotations?.[ROLLOUT_ANNOTATION] === String(revision);
}

/** True when somebody moved it below what is still the newest revision; numbers only fall where the class was made anew. */
export function isHeld({ metadata }: Marked, newestRevision: number): boolean {
  return metadata.annotations?.[HELD_ANNOTATION] === String(newestRevision);
}
