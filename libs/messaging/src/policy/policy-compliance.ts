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

/** The condition that a verdict comes to: broken rules by name, then the first of them with its field and what to do. Pure. */
export function policyCompliance({ allowed, violations, unanswered }: PolicyReviewResponse): ConditionFact {
  if (unanswered) return conditionUnknown(POLICY_COMPLIANT, 'NotReviewed', NOT_JUDGED);
  if (!allowed) return conditionFalse(POLICY_COMPLIANT, 'PolicyDenied', conditionMessage(brokenRules(violations)));
  const count = violations.length;
  const advice = `${count} recommendation${count === 1 ? '' : 's'} not followed`;
  return conditionTrue(POLICY_COMPLIANT, 'Compliant', count === 0 ? '' : advice);
}

/** The condition while there is no verdict, because nobody answers. */
export function policyComplianceUnknown(): ConditionFact {
  const message = 'Waiting for policy-mgmt, which does not answer; nothing is changed without its verdict';
  return conditionUnknown(POLICY_COMPLIANT, POLICY_UNAVAILABLE, message);
}

/** Names the rules that deny, and says what is wrong. Pure. */
export function brokenRules(violations: readonly PolicyViolation[]): string {
  const denying = violations.filter(({ effect }) => effect === 'deny');
  const names = [...new Set(denying.map(({ policy }) => policy))].sort();
  const [first] = denying;
  const details = first ? [first.field, first.message, first.remedy] : [];
  return [`Broken rules: ${names.join(', ')}`, ...details].filter((text) => text !== '').join(': ');
}
