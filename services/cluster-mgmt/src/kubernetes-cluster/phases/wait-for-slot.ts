import { placeInLine, waiting, type Outcome } from '@crate/reconcile';
import { SLOT_POLL_MS } from '../../engine/engine-slots.js';
import { engineProgress } from '../kubernetes-cluster.progress.js';
import type { KubernetesClusterScope } from '../kubernetes-cluster.scope.js';

/** Reason of a pass that waits for its turn with the engine. */
export const WAITING_FOR_SLOT = 'WaitingForEngineSlot';

/** Who is among the first asks often: a free slot of another replica, which never heard of it, would stay empty otherwise. */
const FIRST = 8;
const FIRST_POLL_MS = 5_000;

/** What a pass ends with that got no slot, and what a person sees meanwhile; position 1 is next. */
export function waitForSlot(scope: KubernetesClusterScope, kind: 'up' | 'remove', position: number): Outcome {
  const message = `Waiting for a free engine, ${placeInLine(position - 1)}`;
  scope.progress = engineProgress(kind, { step: 0, message });
  return waiting(WAITING_FOR_SLOT, position <= FIRST ? FIRST_POLL_MS : SLOT_POLL_MS);
}
