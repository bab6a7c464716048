import { failuresInARow, type TerraformRun } from './terraform-run.repository.js';

const FIRST_MS = 2_000;
const LONGEST_MS = 30_000;

/** How long to wait after `failures` failed runs in a row: doubling up to half a minute, spread by a quarter. */
export function retryDelayMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(full * (0.75 + 0.25 * random()));
}

/**
 * How long to wait after the pass `epoch` failed, given all runs, newest first. Undefined when none of them is its own, as when it compared
 * with the cloud: such failures leave no run, so counting runs would never make the wait longer.
 */
export function delayAfterRunsMs(
  runs: readonly TerraformRun[],
  epoch: bigint,
  random?: () => number,
): number | undefined {
  return runs[0]?.epoch === epoch ? retryDelayMs(failuresInARow(runs), random) : undefined;
}
