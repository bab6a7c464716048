import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  conditionUnknown,
  type ConditionFact,
  type PolicyReviewResponse,
  type PolicyViolation,
} from '@crate/api';
import { NOT_JUDGED, POLICY_UNAVAILABLE } from './policy-unavailable.js';

/** Says of an object whether it breaks rules. */
export const POLICY_COMPLIANT = 'PolicyCompliant';

/** Reason while it is True only because of waivers: when they end, it may not be. */
export const WAIVED = 'Waived';

/** The condition that a verdict comes to: broken rules by name, then the first of them with its field and what to do. Pure. */
export function policyCompliance(review: PolicyReviewResponse): ConditionFact {
  const { allowed, violations, unanswered } = review;
  if (unanswered) return conditionUnknown(POLICY_COMPLIANT, 'NotReviewed', NOT_JUDGED);
  if (!allowed) return conditionFalse(POLICY_COMPLIANT, 'PolicyDenied', conditionMessage(brokenRules(violations)));
  const count = violations.length;
  const advice = count === 0 ? [] : [`${count} recommendation${count === 1 ? '' : 's'} not followed`];
  const waived = waivedRules(review);
  const message = conditionMessage([...waived, ...advice].join('; '));
  return conditionTrue(POLICY_COMPLIANT, waived.length > 0 ? WAIVED : 'Compliant', message);
}

/** Each waiver that something rests on, with the rules that it covers. */
function waivedRules({ recorded = [] }: PolicyReviewResponse): readonly string[] {
  const rules = new Map<string, Set<string>>();
  for (const { waiver, policy } of recorded) {
    if (waiver !== undefined) rules.set(waiver, (rules.get(waiver) ?? new Set()).add(policy));
  }
  const names = [...rules].sort(([left], [right]) => (left < right ? -1 : 1));
  return names.map(([waiver, covered]) => `PolicyWaiver ${waiver} covers ${[...covered].sort().join(', ')}`);
}

/** The condition while there is no verdict, because nobody answers. */
export function policyComplianceUnknown(): ConditionFact {
  const message = 'Waiting for policy-mgmt, which does not answer; nothing is changed without its verdict';
  return conditionUnknown(POLICY_COMPLIANT, POLICY_UNAVAILABLE, message);
}

/** Names the rules that deny, and says what is wrong. Pure. */
function brokenRules(violations: readonly PolicyViolation[]): string {
  const denying = violations.filter(({ effect }) => effect === 'deny');
  const names = [...new Set(denying.map(({ policy }) => policy))].sort();
  const [first] = denying;
  const details = first ? [first.field, first.message, first.remedy] : [];
  return [`Broken rules: ${names.join(', ')}`, ...details].filter((text) => text !== '').join(': ');
}
