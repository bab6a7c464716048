/** Up to here a place is told exactly. */
const EXACT = 5;
const STEPS = [1, 2, 5] as const;

/**
 * How many wait in front, in words for `status.progress`. A place far behind is told in steps: whatever ends moves everybody up, and a
 * fleet that wrote each of its places down would do little else.
 */
export function placeInLine(ahead: number): string {
  if (ahead === 0) return 'next in line';
  return ahead <= EXACT ? `${ahead} ahead` : `more than ${stepBelow(ahead)} ahead`;
}

/** The greatest of 5, 10, 20, 50, 100 … that is less. */
function stepBelow(ahead: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(ahead - 1));
  return magnitude * Math.max(...STEPS.filter((step) => step * magnitude < ahead));
}
