import { describe, expect, it } from '@jest/globals';
import type { FleetEntry } from './fleet-entry.js';
import { FleetOrders } from './fleet-orders.js';

const entry = (name: string): FleetEntry => ({ name }) as unknown as FleetEntry;
const [a, b, c] = ['a', 'b', 'c'].map(entry) as [FleetEntry, FleetEntry, FleetEntry];
const anotherB = entry('b');

type Change = readonly [old: FleetEntry | undefined, entry: FleetEntry | undefined];

/** What stands in the order after changes that nobody looked between. */
function after(...changes: readonly Change[]): readonly FleetEntry[] {
  const all = new Set([a, b]);
  const orders = new FleetOrders(
    () => all,
    () => (left, right) => left.name.localeCompare(right.name),
  );
  expect(orders.in('name')).toEqual([a, b]);
  for (const [old, next] of changes) orders.replaced(old, next);
  return orders.in('name');
}

describe('entries in an order, asked for again', () => {
  it.each<{ reason: string; changes: readonly Change[]; want: readonly FleetEntry[] }>([
    { reason: 'one came', changes: [[undefined, c]], want: [a, b, c] },
    { reason: 'one went', changes: [[b, undefined]], want: [a] },
    {
      reason: 'one came and went',
      changes: [
        [undefined, c],
        [c, undefined],
      ],
      want: [a, b],
    },
    {
      reason: 'another took its place, and it came back, as of a cluster whose plan was given up',
      changes: [
        [b, anotherB],
        [anotherB, b],
      ],
      want: [a, b],
    },
    { reason: 'it took its own place', changes: [[b, b]], want: [a, b] },
    {
      reason: 'it came back and went after all',
      changes: [
        [b, anotherB],
        [anotherB, b],
        [b, undefined],
      ],
      want: [a],
    },
  ])('are as they are when $reason', ({ changes, want }) => {
    const found = after(...changes);
    expect(found).toHaveLength(want.length);
    found.forEach((each, index) => expect(each).toBe(want[index]));
  });
});
