import type { FleetRow } from '@crate/api';

/** Below it the cells of a row stand below each other. */
const wide = matchMedia('(min-width: 62rem)');

/** Until one was measured. */
const AT_FIRST: Readonly<Record<string, number>> = {
  'wide plain': 59,
  'wide told': 59,
  'narrow plain': 303,
  'narrow told': 321,
};

const known = new Map<string, number>();

/** How tall a row will be, before it is drawn: a right guess spares a second layout, and a scroll bar that jumps. */
export function expectedHeight(row: FleetRow | undefined): number {
  const shape = shapeOf(row);
  return known.get(shape) ?? AT_FIRST[shape] ?? 0;
}

/** Remembers how tall a row is: those like it are expected to be like the lowest of them. */
export function learnHeight(row: FleetRow | undefined, height: number): void {
  const shape = shapeOf(row);
  if (height > 0) known.set(shape, Math.min(height, known.get(shape) ?? height));
}

function shapeOf(row: FleetRow | undefined): string {
  const isTold = row?.cause !== undefined || row?.progress !== undefined;
  return `${wide.matches ? 'wide' : 'narrow'} ${isTold ? 'told' : 'plain'}`;
}
