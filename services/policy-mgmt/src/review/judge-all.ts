import { withinTime, type Bindings } from '@crate/cel';
import { compilePolicy } from '../policy/compiled-policy.js';
import type { CataloguedPolicy } from '../policy/policy.catalogue.js';
import { judge, type Objection } from './judge.js';

/** What one rule comes to, or why it could not be evaluated. */
export type Verdict = { readonly objections: readonly Objection[] } | { readonly error: unknown };

export interface ReviewLimits {
  /** Time for one rule. */
  readonly ruleMs: number;
  /** Time for all rules of a review. */
  readonly reviewMs: number;
}

/**
 * A verdict for each rule, in order. All share one clock, because starting one costs more than a rule takes: when it
 * strikes, the rule at hand is tried again first under a new one, so that each has its whole time.
 */
export function judgeAll(
  policies: readonly CataloguedPolicy[],
  bindings: Bindings,
  { ruleMs, reviewMs }: ReviewLimits,
): readonly Verdict[] {
  const end = performance.now() + reviewMs;
  const verdicts: Verdict[] = [];
  while (verdicts.length < policies.length) {
    const limitMs = Math.floor(Math.min(ruleMs, end - performance.now()));
    if (limitMs <= 0) {
      verdicts.push({ error: new Error('The time for the review was over') });
      continue;
    }
    const first = verdicts.length;
    try {
      withinTime(limitMs, () => judgeRest(policies, bindings, verdicts));
    } catch (error) {
      const stopped = policies[verdicts.length];
      if (stopped) restore(stopped);
      if (verdicts.length === first) verdicts.push({ error });
    }
  }
  return verdicts;
}

function judgeRest(policies: readonly CataloguedPolicy[], bindings: Bindings, verdicts: Verdict[]): void {
  for (const entry of policies.slice(verdicts.length)) verdicts.push(verdictOf(entry, bindings));
}

function verdictOf(entry: CataloguedPolicy, bindings: Bindings): Verdict {
  const { compilation } = entry;
  if (!compilation.ok) return { error: new Error(compilation.mistakes.map(({ message }) => message).join(', ')) };
  try {
    return { objections: judge(compilation.policy, bindings) };
  } catch (error) {
    restore(entry);
    return { error };
  }
}

/** The evaluator may have been stopped anywhere; what it kept inside must not reach the next review. */
function restore({ compilation, policy }: CataloguedPolicy): void {
  Object.assign(compilation, compilePolicy(policy.spec));
}
