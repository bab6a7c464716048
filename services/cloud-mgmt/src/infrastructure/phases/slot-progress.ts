import type { Progress } from '@crate/api';
import { placeInLine } from '@crate/reconcile';

/** What a person sees while the Terraform runs of others are under way. */
export function slotProgress(ahead: number): Progress {
  return { step: 0, steps: 0, message: `Waiting for a Terraform slot, ${placeInLine(ahead)}` };
}
