import { toCelValue, wasStarved, withinTime, type Bindings } from '@crate/cel';
import type { PolicyStage } from '@crate/api';
import type { CataloguedPolicy } from '../rule/catalogued-policy.js';
import { compilePolicy } from '../rule/compiled-policy.js';
import { isShortRule } from '../rule/short-rule.js';
import { judge, type Judgement } from './judge.js';

/** What one rule comes to, or why it could not be evaluated. */
export type Verdict = Judgement | { readonly error: unknown };

/** A rule with the params that hold for the Project at hand. */
export interface RuleAtHand {
  readonly rule: CataloguedPolicy;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface ReviewLimits {
  /** Time of a processor for one rule: one that waits for a processor has more by the clock. */
  readonly ruleMs: number;
  /** Time for all rules of a review. */
  readonly reviewMs: number;
}

/** A document as rules see it. */
export interface DocumentAtHand {
  readonly stage: PolicyStage;
  readonly bindings: Bindings;
  /** Whether no short rule can take long over it; absent: it may be large. */
  readonly isSmall?: boolean;
}

/** What one review is made of. */
export interface ReviewAtHand {
  readonly rules: readonly RuleAtHand[];
  readonly document: DocumentAtHand;
}

/**
 * For each review a verdict for each rule, in order. Stops before a review that would begin later than `mostMs` from now; the first
 * is always judged. All share one clock, because starting one costs as much as many rules: when it strikes, the rule at hand is
 * tried again first under a new one, so that each has its whole time. Where nothing can take long, there is no clock.
 */
export function judgeAll(
  reviews: readonly ReviewAtHand[],
  limits: ReviewLimits,
  mostMs = Infinity,
): readonly (readonly Verdict[])[] {
  const judging = new Judging(reviews, limits, performance.now() + mostMs);
  while (judging.goesOn) judging.underOneClock();
  return judging.done;
}

/** The clock may strike between any two steps, so where it stands is told by the verdicts alone. */
class Judging {
  private readonly verdicts: readonly Verdict[][];
  private readonly endsAt: number[] = [];
  private readonly needsClock: boolean;
  private finished = 0;
  private patience = 1;

  constructor(
    private readonly reviews: readonly ReviewAtHand[],
    private readonly limits: ReviewLimits,
    private readonly enoughAt: number,
  ) {
    this.verdicts = reviews.map(() => []);
    this.needsClock = reviews.some(mayTakeLong);
  }

  get goesOn(): boolean {
    this.skipFinished();
    return this.finished < this.reviews.length && (this.isBegun || this.finished === 0 || !this.isEnough);
  }

  get done(): readonly (readonly Verdict[])[] {
    return this.verdicts.slice(0, this.finished);
  }

  underOneClock(): void {
    const { finished: first, given } = this;
    const before = given.length;
    const { ruleMs } = this.limits;
    const limitMs = Math.floor(Math.min(ruleMs * this.patience, this.endOfReview() - performance.now()));
    if (limitMs <= 0) {
      given.push({ error: new Error('The time for the review was over') });
      return;
    }
    try {
      if (this.needsClock) withinTime(limitMs, () => this.judgeRest(), Math.min(ruleMs, limitMs));
      else this.judgeRest();
    } catch (error) {
      this.skipFinished();
      const review = this.reviews[this.finished];
      const stopped = review?.rules[this.given.length];
      if (review && stopped) restore(stopped, review.document.stage);
      const isSameRule = this.finished === first && this.given.length === before;
      const isStarved = isSameRule && wasStarved(error);
      // A rule that had no processor for its time is judged again, by a clock of twice the length, for as long as the review may take.
      this.patience = isStarved ? this.patience * 2 : 1;
      if (isSameRule && !isStarved) this.given.push({ error });
    }
  }

  private judgeRest(): void {
    while (this.goesOn) {
      this.endOfReview();
      const { rules, document } = this.reviews[this.finished] as ReviewAtHand;
      const { given } = this;
      for (const rule of rules.slice(given.length)) given.push(verdictOf(rule, document));
    }
  }

  /** Verdicts of the review at hand. */
  private get given(): Verdict[] {
    return this.verdicts[this.finished] ?? [];
  }

  private get isBegun(): boolean {
    return this.endsAt[this.finished] !== undefined;
  }

  private get isEnough(): boolean {
    return performance.now() >= this.enoughAt;
  }

  /** A review has its time from when its first rule is judged. */
  private endOfReview(): number {
    return (this.endsAt[this.finished] ??= performance.now() + this.limits.reviewMs);
  }

  private skipFinished(): void {
    while (this.finished < this.reviews.length && this.given.length === this.reviews[this.finished]?.rules.length)
      this.finished += 1;
  }
}

function mayTakeLong({ rules, document }: ReviewAtHand): boolean {
  if (rules.length === 0) return false;
  return document.isSmall !== true || !rules.every(({ rule, params }) => isShortRule(rule.policy.spec, params));
}

/** A rule's params are the same object until the rule is changed, unless an exception lays others over them. */
const celParams = new WeakMap<object, unknown>();

function celParamsOf(params: RuleAtHand['params']): unknown {
  const known = celParams.get(params);
  if (known !== undefined) return known;
  const value = toCelValue(params);
  celParams.set(params, value);
  return value;
}

function verdictOf(atHand: RuleAtHand, { stage, bindings }: DocumentAtHand): Verdict {
  const compilation = atHand.rule.compilations.get(stage);
  if (!compilation) return { error: new Error(`The rule has no stage ${stage}`) };
  if (!compilation.ok) return { error: new Error(compilation.mistakes.map(({ message }) => message).join(', ')) };
  try {
    return judge(compilation.policy, { ...bindings, params: celParamsOf(atHand.params) });
  } catch (error) {
    restore(atHand, stage);
    return { error };
  }
}

/** The evaluator may have been stopped anywhere; what it kept inside must not reach the next review. */
export function restore({ rule: { compilations, policy } }: RuleAtHand, stage: PolicyStage): void {
  const compilation = compilations.get(stage);
  // One that does not compile keeps nothing; what stands for a rule that cannot be read must not come to compile.
  if (compilation?.ok) Object.assign(compilation, compilePolicy(policy.spec, stage));
}
