import type { PolicyEnforcement, PolicyReviewRequest, PolicyRuleResult, PolicyViolation } from '@crate/api';
import { withinProcessorTime, type DecidingValue } from '@crate/cel';
import type { Redactor } from '@crate/telemetry';
import { enforcementIn } from '../review/enforcement.js';
import type { RuleReviewer, RulesInForce } from '../review/policy-reviewer.js';
import type { CataloguedPolicy } from '../rule/catalogued-policy.js';
import { mismatchesOf } from './mismatch.js';
import { traceRule, type RuleTrace } from './rule-trace.js';
import { redactorOf } from './secrets.js';
import { shownValue, type ShownValue } from './shown-value.js';

/** For each step of explaining a rule. On the command line the time is one's own. */
const STEP_MS = 5_000;
/** In the place of a message out of which nobody could take the secrets. */
const WITHHELD = 'Not shown: it takes too long to take out what the document holds of secrets';

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

/**
 * Reviews a document and says of each rule what it came to, and why. Beside the review, no step of it takes longer than `stepMs` of a processor: a verdict
 * stands without reasons, and without words out of which no secret could be taken.
 */
export function explain(
  request: PolicyReviewRequest,
  inForce: RulesInForce,
  reviewer: RuleReviewer,
  stepMs = STEP_MS,
): Explanation {
  const { response, results } = reviewer.reviewInDetail(request, inForce);
  const byName = new Map(results.map((result) => [result.policy, result]));
  const hasWords = results.some(({ result }) => result !== 'pass');
  const redactor = hasWords ? inTime(stepMs, () => redactorOf(request.document, request.oldDocument)) : undefined;
  const rules = inForce.policies.map((rule) =>
    explained(rule, byName.get(rule.policy.metadata.name), { request, redactor, stepMs }),
  );
  return { allowed: response.allowed, rules };
}

interface Circumstances {
  readonly request: PolicyReviewRequest;
  /** Undefined when nobody knows what is secret. */
  readonly redactor: Redactor | undefined;
  readonly stepMs: number;
}

function explained(
  rule: CataloguedPolicy,
  result: PolicyRuleResult | undefined,
  { request, redactor, stepMs }: Circumstances,
): RuleExplanation {
  const { metadata, spec } = rule.policy;
  const { enforcement } = enforcementIn(spec, request.subject.namespace);
  const { level, severity, title } = spec;
  const common = { policy: metadata.name, level, severity, title, enforcement, violations: [], reasons: [] };
  if (!result) return { ...common, result: 'unmatched', mismatches: mismatchesOf(spec, request) };
  if (result.result === 'pass') return { ...common, ...result, mismatches: [] };
  const words = redactor ? wordsOf(rule, result, { request, redactor, stepMs }) : withheld(result);
  return { ...common, ...result, mismatches: [], ...words };
}

/** Undefined when it takes too long, or when there is more to look for than an engine of regular expressions takes. */
function inTime<T>(limitMs: number, work: () => T): T | undefined {
  try {
    return withinProcessorTime(limitMs, work, () => undefined);
  } catch {
    return undefined;
  }
}

type Words = Pick<RuleExplanation, 'violations' | 'reasons'>;

function wordsOf(
  rule: CataloguedPolicy,
  result: PolicyRuleResult,
  { request, redactor, stepMs }: Circumstances & { readonly redactor: Redactor },
): Words {
  const violations = inTime(stepMs, () => result.violations.map((violation) => withoutSecrets(violation, redactor)));
  if (!violations) return withheld(result);
  // The values that decided may be of any length; the messages stand without them.
  const trace = traceRule(rule, request, stepMs);
  return { violations, reasons: inTime(stepMs, () => reasonsOf(rule, trace, redactor)) ?? [] };
}

function withheld({ violations }: PolicyRuleResult): Words {
  return { violations: violations.map((each) => ({ ...each, field: 'spec', message: WITHHELD })), reasons: [] };
}

function withoutSecrets(violation: PolicyViolation, redactor: Redactor): PolicyViolation {
  const { message, field } = violation;
  return { ...violation, message: redactor.redactText(message), field: redactor.redactText(field) };
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
