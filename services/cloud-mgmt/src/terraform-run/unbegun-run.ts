import type { TerraformRun } from './terraform-run.repository.js';

/** Whether a run ended before it changed anything, such as one whose plan was refused: what was there before is there still. Pure. */
export function isUnbegun({ state, hasBegun }: Pick<TerraformRun, 'state' | 'hasBegun'>): boolean {
  return !hasBegun && (state === 'failed' || state === 'interrupted');
}

/** Whether a run came to a plan and no further: it was not let through. What it adopted before is in the state. Pure. */
export function wasRefused(run: Pick<TerraformRun, 'state' | 'hasBegun' | 'planSummary'> | undefined): boolean {
  return run?.planSummary !== undefined && isUnbegun(run);
}

/** The newest run that may have changed anything; undefined where none is remembered. Pure. */
export function lastChange(runs: readonly TerraformRun[]): TerraformRun | undefined {
  return runs.find((run) => !isUnbegun(run));
}

/**
 * Whether nothing was changed since a run that succeeded: what is found besides is no run's lost work, also after runs that were not let through. What
 * has no place then is left as it is. Pure.
 */
export function isNothingLost(runs: readonly TerraformRun[]): boolean {
  return lastChange(runs)?.state === 'succeeded';
}
