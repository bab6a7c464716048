import { judgeAll, type ReviewAtHand, type ReviewLimits, type RuleAtHand, type Verdict } from './judge-all.js';
import type { Judgement } from './judge.js';
import type { JudgementsOfDocument } from './remembered-judgements.js';

/** A review with what is known of its document; absent: nothing is remembered. */
export interface ReviewOfKnown extends ReviewAtHand {
  readonly known?: JudgementsOfDocument;
}

/** As `judgeAll`, and spares rules what they have judged before; where all have, no clock is started. What could not be evaluated is not remembered. */
export function judgeUnknown(
  reviews: readonly ReviewOfKnown[],
  limits: ReviewLimits,
  mostMs = Infinity,
): readonly (readonly Verdict[])[] {
  const found = reviews.map(({ rules, known }) => rules.map((rule) => known?.find(rule)));
  const unknown = reviews.map(({ rules, document }, at) => ({
    rules: rules.filter((_, place) => !found[at]?.[place]),
    document,
  }));
  return judgeAll(unknown, limits, mostMs).map((verdicts, at) => {
    keep(reviews[at]?.known, unknown[at]?.rules ?? [], verdicts);
    return merged(found[at] ?? [], verdicts);
  });
}

function keep(
  known: JudgementsOfDocument | undefined,
  rules: readonly RuleAtHand[],
  verdicts: readonly Verdict[],
): void {
  for (const [place, verdict] of verdicts.entries()) {
    const rule = rules[place];
    if (rule && 'objections' in verdict) known?.keep(rule, verdict);
  }
}

/** In the order of the rules. */
function merged(found: readonly (Judgement | undefined)[], verdicts: readonly Verdict[]): readonly Verdict[] {
  const anew = verdicts.values();
  return found.map((judgement) => judgement ?? (anew.next().value as Verdict));
}
