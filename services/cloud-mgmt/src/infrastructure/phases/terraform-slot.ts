import { inLine, placeInLine, waiting, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { ReleaseSlot, SlotRequest, TerraformSlots } from '@crate/terraform';
import { reportProgress, type InfrastructureScope } from '../infrastructure.scope.js';

/** So long that other processes look for due keys meanwhile. */
const OFFERED_ANEW_AFTER_MS = 15_000;

/** Of a pass that left the line: whichever process has a slot takes the key. */
export const queuedAnew: Outcome = waiting('Queued', OFFERED_ANEW_AFTER_MS);

/**
 * A slot for the Infrastructure of a pass; people are shown its place, and its time stands still meanwhile. Undefined for who left the line, to be
 * `queuedAnew`. Throws the reason of the signal, by default that of calls to the outside.
 */
export async function slotOf(
  slots: TerraformSlots,
  scope: InfrastructureScope,
  context: ReconcileContext,
  request: Pick<SlotRequest, 'signal' | 'keepsPlace'> = {},
): Promise<ReleaseSlot | undefined> {
  const { uid } = scope.infrastructure.metadata;
  const onQueued = (ahead: number): void =>
    reportProgress(scope, { step: 0, steps: 0, message: `Waiting for a Terraform slot, ${placeInLine(ahead)}` });
  return inLine(context, () => slots.acquireOrLeave(uid, { signal: context.remoteSignal, onQueued, ...request }));
}
