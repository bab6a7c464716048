/** How what watches brought differs from what was stored, summed over all of them. */
export interface Comparison {
  readonly events: number;
  /** Stored, but not brought. */
  readonly lost: number;
  /** Brought, but not stored, or brought before. */
  readonly surplus: number;
  /** Brought behind one that was stored later. */
  readonly disordered: number;
}

/** Compares the revisions of each watch with those stored, which are in order. */
export function compareRevisions(expected: readonly number[], seen: readonly (readonly number[])[]): Comparison {
  const stored = new Set(expected);
  const each = seen.map((revisions) => {
    const found = new Set(revisions.filter((revision) => stored.has(revision)));
    return {
      events: revisions.length,
      lost: stored.size - found.size,
      surplus: revisions.length - found.size,
      disordered: revisions.filter((revision, index) => index > 0 && revision <= (revisions[index - 1] ?? 0)).length,
    };
  });
  const sum = (field: keyof Comparison): number => each.reduce((total, one) => total + one[field], 0);
  return { events: sum('events'), lost: sum('lost'), surplus: sum('surplus'), disordered: sum('disordered') };
}
