import { z } from 'zod';

/** What a change does to what runs, from the least to the most. */
export const IMPACTS = [
  /** Nothing that runs notices. */
  'none',
  /** Components are restarted in place. */
  'restart',
  /** Nodes are drained and taken away or made anew, one after the other. */
  'roll',
  /** Something is destroyed and made anew: data on it is lost. */
  'replace',
] as const;

/** In the order of `IMPACTS`, from the least to the most; compare with `isWithin`. */
export type Impact = (typeof IMPACTS)[number];

export const impact = z.enum(IMPACTS);

/** Whether a change of this impact stays below the ceiling; an impact that nobody knows does not. */
export function isWithin(change: Impact | undefined, ceiling: Impact): boolean {
  return change !== undefined && IMPACTS.indexOf(change) <= IMPACTS.indexOf(ceiling);
}
