/** A cluster has some hundred members and some thousand characters. */
const MOST_WEIGHT = 16_384;

/** Whether there is little in a value: members, items and characters are counted, and no more of them than it takes to tell. */
export function isSmall(value: unknown, most = MOST_WEIGHT): boolean {
  return leftAfter(value, most) >= 0;
}

function leftAfter(value: unknown, most: number): number {
  if (typeof value === 'string') return most - value.length - 1;
  let left = most - 1;
  if (typeof value !== 'object' || value === null) return left;
  for (const [name, member] of Object.entries(value)) {
    if (left < 0) return left;
    left = leftAfter(member, left - name.length);
  }
  return left;
}
