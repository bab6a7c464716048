import {
  conditionUnknown,
  factOf,
  findCondition,
  type Condition,
  type ConditionFact,
  type PolicyReviewResponse,
} from '@crate/api';
import { isPolicyUnavailable, POLICY_COMPLIANT, policyCompliance, policyComplianceUnknown } from '@crate/messaging';
import type { Pass } from '@crate/reconcile';

/** What a pass found out about rules. */
export interface Judged {
  /** Verdict on what it was about to do. */
  readonly review?: PolicyReviewResponse;
  /** Verdict on what stands, where there is anything new to say. */
  readonly compliance?: ConditionFact;
}

/** The condition after a pass; what it did not look at is as it was. Pure. */
export function complianceFact(
  { review, compliance }: Judged,
  pass: Pass,
  conditions: readonly Condition[] | undefined,
): ConditionFact {
  if (compliance) return compliance;
  if (review) return policyCompliance(review);
  if (!pass.ok && isPolicyUnavailable(pass.error)) return policyComplianceUnknown();
  const before = findCondition(conditions, POLICY_COMPLIANT);
  return before ? factOf(before) : conditionUnknown(POLICY_COMPLIANT, 'NotReviewed', 'There is nothing to judge yet');
}
