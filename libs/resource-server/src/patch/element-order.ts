import { jsonEqual } from '../apply/json.js';

/**
 * Items in a stated order. Items the order does not name keep their place after the item they followed.
 */
export function orderItems(
  items: readonly unknown[],
  order: readonly unknown[],
  identity: (item: unknown) => unknown,
): unknown[] {
  const placeOf = (item: unknown): number => order.findIndex((named) => jsonEqual(identity(named), identity(item)));
  let last = -1;
  const ranked = items.map((item) => {
    const place = placeOf(item);
    last = place < 0 ? last : place;
    return { item, rank: last, isNamed: place >= 0 };
  });
  // The sort is stable: an unnamed item shares the rank of its predecessor and stays behind it.
  return ranked
    .sort((left, right) => left.rank - right.rank || Number(right.isNamed) - Number(left.isNamed))
    .map(({ item }) => item);
}
