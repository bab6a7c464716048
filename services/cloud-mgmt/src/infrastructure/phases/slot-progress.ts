import type { Progress } from '@crate/api';

/** Up to here a place in the queue is told exactly. */
const EXACT = 5;
const STEPS = [1, 2, 5] as const;

/**
 * What a person sees while the Terraform runs of others are under way. A place far behind is told in steps: whatever ends moves everybody up, and a
 * fleet that wrote each of its places down would do little else.
 */
export function slotProgress(ahead: number): Progress {
  const who = ahead === 0 ? 'next in line' : ahead <= EXACT ? `${ahead} ahead` : `more than ${stepBelow(ahead)} ahead`;
  return { step: 0, steps: 0, message: `Waiting for a Terraform slot, ${who}` };
}

/** The greatest of 5, 10, 20, 50, 100 … that is less. */
function stepBelow(ahead: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(ahead - 1));
  return magnitude * Math.max(...STEPS.filter((step) => step * magnitude < ahead));
}
