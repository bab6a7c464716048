import { withinTime, toCelValue, type Bindings } from '@crate/cel';
import type { PolicyStage } from '@crate/api';
import type { CataloguedPolicy } from '../rule/catalogued-policy.js';
import { compilePolicy } from '../rule/compiled-policy.js';
import { judge, type Judgement } from './judge.js';

/** What one rule comes to, or why it could not be evaluated. */
export type Verdict = Judgement | { readonly error: unknown };

/** A rule with the params that hold for the Project at hand. */
export interface RuleAtHand {
  readonly rule: CataloguedPolicy;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface ReviewLimits {
  /** Time for one rule. */
  readonly ruleMs: number;
  /** Time for all rules of a review. */
  readonly reviewMs: number;
}

/** A document as rules see it. */
export interface DocumentAtHand {
  readonly stage: PolicyStage;
  readonly bindings: Bindings;
}

/**
 * A verdict for each rule, in order. All share one clock, because starting one costs more than a rule takes: when it
 * strikes, the rule at hand is tried again first under a new one, so that each has its whole time.
 */
export function judgeAll(
  rules: readonly RuleAtHand[],
  document: DocumentAtHand,
  { ruleMs, reviewMs }: ReviewLimits,
): readonly Verdict[] {
  const end = performance.now() + reviewMs;
  const verdicts: Verdict[] = [];
  while (verdicts.length < rules.length) {
    const limitMs = Math.floor(Math.min(ruleMs, end - performance.now()));
    if (limitMs <= 0) {
      verdicts.push({ error: new Error('The time for the review was over') });
      continue;
    }
    const first = verdicts.length;
    try {
      withinTime(limitMs, () => judgeRest(rules, document, verdicts));
    } catch (error) {
      const stopped = rules[verdicts.length];
      if (stopped) restore(stopped, document.stage);
      if (verdicts.length === first) verdicts.push({ error });
    }
  }
  return verdicts;
}

function judgeRest(rules: readonly RuleAtHand[], document: DocumentAtHand, verdicts: Verdict[]): void {
  for (const rule of rules.slice(verdicts.length)) verdicts.push(verdictOf(rule, document));
}

function verdictOf(atHand: RuleAtHand, { stage, bindings }: DocumentAtHand): Verdict {
  const compilation = atHand.rule.compilations.get(stage);
  if (!compilation) return { error: new Error(`The rule has no stage ${stage}`) };
  if (!compilation.ok) return { error: new Error(compilation.mistakes.map(({ message }) => message).join(', ')) };
  try {
    return judge(compilation.policy, { ...bindings, params: toCelValue(atHand.params) });
  } catch (error) {
    restore(atHand, stage);
    return { error };
  }
}

/** The evaluator may have been stopped anywhere; what it kept inside must not reach the next review. */
export function restore({ rule: { compilations, policy } }: RuleAtHand, stage: PolicyStage): void {
  const compilation = compilations.get(stage);
  if (compilation) Object.assign(compilation, compilePolicy(policy.spec, stage));
}
