const FIRST_MS = 2_000;
const LONGEST_MS = 30_000;

/** How long to wait after `failures` failed runs in a row: doubling up to half a minute, spread by a quarter. */
export function retryDelayMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(full * (0.75 + 0.25 * random()));
}
