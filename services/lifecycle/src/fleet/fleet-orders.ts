import type { FleetEntry } from './fleet-entry.js';
import type { Compare, FleetOrder } from './fleet-order.js';

interface Sorted {
  entries: readonly FleetEntry[];
  /** Since it was sorted; none is in both. */
  readonly come: Set<FleetEntry>;
  /** Of the entries that were sorted. */
  readonly gone: Set<FleetEntry>;
}

/** So many changes since it was sorted, in proportion to what there is, and sorting anew is quicker. */
const SORT_ANEW = 0.5;
const FEW = 1_000;

/**
 * All entries in the orders that somebody asked for. An order is kept: what changed since it was asked for the last time is sorted by
 * itself and merged in, so that asking again costs one walk, not a sort.
 */
export class FleetOrders {
  private readonly orders = new Map<FleetOrder, Sorted>();

  constructor(
    private readonly all: () => Iterable<FleetEntry>,
    private readonly compareBy: (order: FleetOrder) => Compare,
  ) {}

  /** One entry takes the place of another, comes, or goes; one that went may come back, as when a plan is given up. */
  replaced(old: FleetEntry | undefined, entry: FleetEntry | undefined): void {
    for (const [order, sorted] of this.orders) {
      if (old && !sorted.come.delete(old)) sorted.gone.add(old);
      if (entry && !sorted.gone.delete(entry)) sorted.come.add(entry);
      if (sorted.come.size + sorted.gone.size > sorted.entries.length * SORT_ANEW + FEW) this.orders.delete(order);
    }
  }

  /** Everything in an order; as it is now, and never changed afterwards. */
  in(order: FleetOrder): readonly FleetEntry[] {
    const compare = this.compareBy(order);
    const sorted = this.orders.get(order);
    if (!sorted) {
      const entries = [...this.all()].sort(compare);
      this.orders.set(order, { entries, come: new Set(), gone: new Set() });
      return entries;
    }
    if (sorted.come.size > 0 || sorted.gone.size > 0) renew(sorted, compare);
    return sorted.entries;
  }
}

function renew(sorted: Sorted, compare: Compare): void {
  const { entries, come, gone } = sorted;
  sorted.entries = merged(entries, gone, [...come].sort(compare), compare);
  come.clear();
  gone.clear();
}

function merged(
  entries: readonly FleetEntry[],
  gone: ReadonlySet<FleetEntry>,
  fresh: readonly FleetEntry[],
  compare: Compare,
): readonly FleetEntry[] {
  const result: FleetEntry[] = [];
  let next = 0;
  for (const entry of entries) {
    if (gone.has(entry)) continue;
    for (let other = fresh[next]; other && compare(other, entry) < 0; other = fresh[next]) {
      result.push(other);
      next += 1;
    }
    result.push(entry);
  }
  for (; next < fresh.length; next += 1) result.push(fresh[next] as FleetEntry);
  return result;
}
