import type { Progress } from '@crate/api';
import { placeInLine, waiting, type Outcome } from '@crate/reconcile';

/** What a person sees while the Terraform runs of others are under way. */
export function slotProgress(ahead: number): Progress {
  return { step: 0, steps: 0, message: `Waiting for a Terraform slot, ${placeInLine(ahead)}` };
}

/** So long that other processes look for due keys meanwhile. */
const OFFERED_ANEW_AFTER_MS = 15_000;

/** Of a pass that left the line: whichever process has a slot takes the key. */
export const queuedAnew: Outcome = waiting('Queued', OFFERED_ANEW_AFTER_MS);
