import type { PolicyEnforcement, PolicyReviewRequest, PolicyRuleResult } from '@crate/api';
import type { DecidingValue } from '@crate/cel';
import type { Redactor } from '@crate/telemetry';
import { enforcementIn } from '../review/enforcement.js';
import type { RuleReviewer, RulesInForce } from '../review/policy-reviewer.js';
import type { CataloguedPolicy } from '../rule/catalogued-policy.js';
import { mismatchesOf } from './mismatch.js';
import { traceRule, type RuleTrace } from './rule-trace.js';
import { redactorOf } from './secrets.js';
import { shownValue, type ShownValue } from './shown-value.js';

/** Where a rule objects, and the values that decided. */
export interface ShownReason {
  /** Place in the rule, such as `validations[0]`, with the item of its list. */
  readonly place: string;
  readonly expression: string;
  readonly values: readonly ShownValue[];
}

/** What a rule came to and why, without secrets of the document. */
export interface RuleExplanation extends Omit<PolicyRuleResult, 'result'> {
  readonly enforcement: PolicyEnforcement;
  readonly result: PolicyRuleResult['result'] | 'unmatched';
  /** Why a rule was not asked. */
  readonly mismatches: readonly string[];
  readonly reasons: readonly ShownReason[];
}

/** A review of one document with reasons; every rule stands in it, in the order given. */
export interface Explanation {
  /** False when something of it would be denied. */
  readonly allowed: boolean;
  readonly rules: readonly RuleExplanation[];
}

/** Reviews a document and says of each rule what it came to, and why. */
export function explain(request: PolicyReviewRequest, inForce: RulesInForce, reviewer: RuleReviewer): Explanation {
  const redactor = redactorOf(request.document, request.oldDocument);
  const { response, results } = reviewer.reviewInDetail(request, inForce);
  const byName = new Map(results.map((result) => [result.policy, result]));
  const rules = inForce.policies.map((rule) =>
    explained(rule, byName.get(rule.policy.metadata.name), { request, redactor }),
  );
  return { allowed: response.allowed, rules };
}

interface Circumstances {
  readonly request: PolicyReviewRequest;
  readonly redactor: Redactor;
}

function explained(
  rule: CataloguedPolicy,
  result: PolicyRuleResult | undefined,
  { request, redactor }: Circumstances,
): RuleExplanation {
  const { metadata, spec } = rule.policy;
  const { enforcement } = enforcementIn(spec, request.subject.namespace);
  const { level, severity, title } = spec;
  const common = { policy: metadata.name, level, severity, title, enforcement, violations: [], reasons: [] };
  if (!result) return { ...common, result: 'unmatched', mismatches: mismatchesOf(spec, request) };
  const trace = result.result === 'pass' ? undefined : traceRule(rule, request);
  const violations = result.violations.map((violation) => ({
    ...violation,
    message: redactor.redactText(violation.message),
    field: redactor.redactText(violation.field),
  }));
  return { ...common, ...result, violations, mismatches: [], reasons: trace ? reasonsOf(rule, trace, redactor) : [] };
}

function reasonsOf(
  { policy: { spec } }: CataloguedPolicy,
  trace: RuleTrace,
  redactor: Redactor,
): readonly ShownReason[] {
  const shown = (values: readonly DecidingValue[]) => values.map((value) => shownValue(value, redactor));
  if (trace.unmet) {
    const { name, because } = trace.unmet;
    const expression = spec.matchConditions.find((condition) => condition.name === name)?.expression ?? '';
    return [{ place: `matchConditions "${name}"`, expression, values: shown(because) }];
  }
  return trace.validations.flatMap(({ failures }, index) => {
    const { expression = '', forEach } = spec.validations[index] ?? {};
    return failures.map((failure) => ({
      place:
        failure.index === undefined
          ? `validations[${index}]`
          : `validations[${index}], item ${failure.index} of ${String(forEach)}`,
      expression,
      values: shown(failure.because),
    }));
  });
}
