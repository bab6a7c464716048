import type { PolicyRuleResult } from '@crate/api';
import type { RuleTrace } from './rule-trace.js';
import type { CataloguedPolicy } from '../rule/catalogued-policy.js';

/** What a rule came to in a test; `unmatched`: it was not asked. */
export type SeenResult = PolicyRuleResult['result'] | 'unmatched';

/** Something that no test has shown of a rule. */
export interface CoverageGap {
  readonly policy: string;
  /** Place of the validation, when the gap is one of a validation. */
  readonly validation?: number;
  readonly gap: 'never matched' | 'never seen to pass' | 'never seen to fail';
}

/** How much of what rules can come to was shown. */
export interface CoverageReport {
  /** Each rule, and each of its validations, is to be seen to pass and seen to fail. */
  readonly goals: number;
  readonly reached: number;
  /** Rounded down, so that 100 is everything; of no rules it is 100. */
  readonly percent: number;
  /** In the order of the rules. */
  readonly gaps: readonly CoverageGap[];
}

interface SeenValidation {
  /** It objects to there being anything to judge: nothing can satisfy it. */
  readonly isBan: boolean;
  hasHeld: boolean;
  hasFailed: boolean;
}

interface Seen {
  isMatched: boolean;
  hasPassed: boolean;
  hasFailed: boolean;
  readonly validations: SeenValidation[];
}

/** Keeps count of what tests show of rules. */
export class RuleCoverage {
  private readonly seen = new Map<string, Seen>();

  constructor(rules: readonly CataloguedPolicy[]) {
    for (const { policy } of rules) {
      const validations = policy.spec.validations.map(({ expression }) => ({
        isBan: expression.trim() === 'false',
        hasHeld: false,
        hasFailed: false,
      }));
      this.seen.set(policy.metadata.name, { isMatched: false, hasPassed: false, hasFailed: false, validations });
    }
  }

  /** A test has shown this of a rule. */
  add(policy: string, result: SeenResult, { validations }: RuleTrace): void {
    const seen = this.seen.get(policy);
    if (!seen || result === 'unmatched') return;
    seen.isMatched = true;
    seen.hasPassed ||= result === 'pass';
    seen.hasFailed ||= result === 'fail';
    for (const [index, { held, failed, mistake }] of validations.entries()) {
      const one = seen.validations[index];
      if (!one) continue;
      one.hasHeld ||= held > 0 || (one.isBan && failed === 0 && mistake === undefined);
      one.hasFailed ||= failed > 0;
    }
  }

  report(): CoverageReport {
    const goals = [...this.seen.values()].reduce((sum, { validations }) => sum + 2 + 2 * validations.length, 0);
    const missed = [...this.seen.values()].reduce((sum, seen) => sum + missedOf(seen), 0);
    const reached = goals - missed;
    const percent = goals === 0 ? 100 : Math.floor((100 * reached) / goals);
    return { goals, reached, percent, gaps: [...this.seen].flatMap(([policy, seen]) => gapsOf(policy, seen)) };
  }
}

function missedOf({ hasPassed, hasFailed, validations }: Seen): number {
  const all = [hasPassed, hasFailed, ...validations.flatMap((one) => [one.hasHeld, one.hasFailed])];
  return all.filter((isReached) => !isReached).length;
}

/** A gap of the rule says it for all its validations. */
function gapsOf(policy: string, { isMatched, hasPassed, hasFailed, validations }: Seen): readonly CoverageGap[] {
  if (!isMatched) return [{ policy, gap: 'never matched' }];
  const own: CoverageGap[] = [
    ...(hasPassed ? [] : [{ policy, gap: 'never seen to pass' as const }]),
    ...(hasFailed ? [] : [{ policy, gap: 'never seen to fail' as const }]),
  ];
  const parts = validations.flatMap((one, validation): readonly CoverageGap[] => [
    ...(one.hasHeld || (validations.length === 1 && !hasPassed)
      ? []
      : [{ policy, validation, gap: 'never seen to pass' as const }]),
    ...(one.hasFailed || !hasFailed ? [] : [{ policy, validation, gap: 'never seen to fail' as const }]),
  ]);
  return [...own, ...parts];
}
