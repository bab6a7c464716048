import type { PolicyReviewRequest, PolicyRuleResult, PolicyViolation } from '@crate/api';

/** What an update of an object in a cluster found there, as if nobody in particular made it now; undefined for any other request. */
export function whatStood({
  oldDocument,
  userInfo: _,
  ...request
}: PolicyReviewRequest): PolicyReviewRequest | undefined {
  if (request.stage !== 'Manifest' || request.operation !== 'UPDATE' || !oldDocument) return undefined;
  return { ...request, operation: 'CREATE', document: oldDocument };
}

/**
 * What rules say of an update, where what each objects to as often before it is warned of and does not deny: controllers write a whole
 * object to take a finalizer off it or to scale it down, and who mends half of it is not sent back. What could not be evaluated excuses
 * nothing. Pure.
 */
export function excused(
  results: readonly PolicyRuleResult[],
  before: readonly PolicyRuleResult[],
): readonly PolicyRuleResult[] {
  const stood = before.filter(({ result }) => result === 'fail').flatMap(({ violations }) => violations.map(wordsOf));
  const excuse = (violation: PolicyViolation): PolicyViolation => {
    const at = violation.effect === 'deny' ? stood.indexOf(wordsOf(violation)) : -1;
    if (at < 0) return violation;
    stood.splice(at, 1);
    return { ...violation, effect: 'warn', message: `${violation.message} (as it was before)` };
  };
  return results.map((result) => ({ ...result, violations: result.violations.map(excuse) }));
}

/** Without places in lists: what is behind something that is taken out moves up. */
function wordsOf({ policy, field, message }: PolicyViolation): string {
  return JSON.stringify([policy, field.replace(/\[\d+\]/g, '[]'), message]);
}
