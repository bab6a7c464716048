import { age } from '@crate/config';

/** Of every service that deletes step by step, at `deletion.warningAfterMs`: one variable sets it for all of them. */
export const deletionWarningAfterMs = age()
  .default(15 * 60_000)
  .describe('How long something may be in the way of a deletion before that is a warning');
