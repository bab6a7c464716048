import type { PolicyViolation } from '@crate/api';
import type { Objection } from './judge.js';

/** Violations of one validation that come to the same and are told one by one; the rest is told as a number. */
const TOLD = 10;

interface Group {
  readonly violations: PolicyViolation[];
  more: number;
}

/**
 * What of many violations is told. What comes to something else, by a waiver or because it stood before, is counted apart: a number may
 * not hide that something denies. Pure.
 */
export function told(
  objections: readonly Objection[],
  violationOf: (objection: Objection) => PolicyViolation,
): readonly PolicyViolation[] {
  const groups = new Map<string, Group>();
  for (const objection of objections) {
    const violation = violationOf(objection);
    const key = `${objection.validation} ${violation.effect} ${violation.waiver ?? ''}`;
    const group = groups.get(key) ?? { violations: [], more: 0 };
    groups.set(key, group);
    const { rest = 0 } = objection;
    const isNew = group.violations.length < TOLD && (rest === 0 || group.violations.length === 0);
    if (isNew) group.violations.push(violation);
    group.more += isNew ? Math.max(rest - 1, 0) : Math.max(rest, 1);
  }
  return [...groups.values()].flatMap(counted);
}

function counted({ violations, more }: Group): readonly PolicyViolation[] {
  const last = violations.at(-1);
  if (!last || more === 0) return violations;
  return [...violations.slice(0, -1), { ...last, message: `${last.message} (and ${more} more)` }];
}
