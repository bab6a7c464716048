import type { PolicyReviewRequest, PolicySpec } from '@crate/api';
import {
  decidingValues,
  evaluationMistake,
  toCelValue,
  withinTime,
  type Bindings,
  type DecidingValue,
} from '@crate/cel';
import { bindingsFor } from '../document/bindings.js';
import { enforcementIn } from '../review/enforcement.js';
import { restore } from '../review/judge-all.js';
import { lazily } from '../review/judge.js';
import type { CataloguedPolicy } from '../rule/catalogued-policy.js';
import type { CompiledPolicy, CompiledValidation } from '../rule/compiled-policy.js';

/** Tracing takes many evaluations of parts. */
const TRACE_MS = 5_000;
/** Failing items that are explained, for each validation. */
const EXPLAINED = 3;

/** What one validation of a rule did with a document. */
export interface ValidationTrace {
  /** Items that were judged and satisfied it, that did not, and that its `when` left out. */
  readonly held: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly FailedItem[];
  readonly mistake?: string;
}

/** An item that does not satisfy a validation. */
export interface FailedItem {
  /** Place in the list of `forEach`; absent: the validation is over the document. */
  readonly index?: number;
  readonly because: readonly DecidingValue[];
}

/** How a rule that matches came to what it came to. */
export interface RuleTrace {
  /** The first condition that is not met. */
  readonly unmet?: { readonly name: string; readonly because: readonly DecidingValue[] };
  /** In the order of the rule; empty when a condition is not met, or when the rule cannot be evaluated at all. */
  readonly validations: readonly ValidationTrace[];
  readonly mistake?: string;
}

interface Traced {
  readonly spec: PolicySpec;
  readonly policy: CompiledPolicy;
  readonly bindings: Bindings;
}

/**
 * Judges once more, noting what was looked at. For people who write rules: it takes much longer than a review, and no longer than `limitMs`. Never throws.
 */
export function traceRule(rule: CataloguedPolicy, request: PolicyReviewRequest, limitMs = TRACE_MS): RuleTrace {
  const { spec } = rule.policy;
  const compilation = rule.compilations.get(request.stage);
  if (!compilation?.ok) return { validations: [], mistake: 'The rule does not compile' };
  try {
    return withinTime(limitMs, () => {
      const params = toCelValue(enforcementIn(spec, request.subject.namespace).params);
      return traced({ spec, policy: compilation.policy, bindings: { ...bindingsFor(request), params } });
    });
  } catch (error) {
    restore({ rule, params: {} }, request.stage);
    return { validations: [], mistake: evaluationMistake(error) };
  }
}

function traced({ spec, policy, bindings: given }: Traced): RuleTrace {
  for (const [index, { name, expression }] of policy.matchConditions.entries()) {
    if (expression.evaluate(given) !== false) continue;
    const because = decidingValues(spec.matchConditions[index]?.expression ?? '', given);
    return { unmet: { name, because }, validations: [] };
  }
  const bindings = { ...given, variables: lazily(policy.variables, given) };
  return {
    validations: policy.validations.map((validation) => validationTrace(validation, { spec, policy, bindings })),
  };
}

function validationTrace(validation: CompiledValidation, traced: Traced): ValidationTrace {
  const counts = { held: 0, failed: 0, skipped: 0 };
  const failures: FailedItem[] = [];
  try {
    const { forEach, when, expression } = validation;
    const items = forEach ? (forEach.evaluate(traced.bindings) as readonly unknown[]) : [traced.bindings['object']];
    for (const [index, item] of items.entries()) {
      const scope = { ...traced.bindings, item, index: BigInt(index) };
      const outcome =
        when?.evaluate(scope) === false ? 'skipped' : expression.evaluate(scope) === false ? 'failed' : 'held';
      counts[outcome] += 1;
      if (outcome !== 'failed' || failures.length >= EXPLAINED) continue;
      const because = reasonsOf(validation.spec, { ...traced, bindings: scope });
      failures.push({ ...(forEach ? { index } : {}), because });
    }
    return { ...counts, failures };
  } catch (error) {
    return { ...counts, failures, mistake: evaluationMistake(error) };
  }
}

/** With what variables that decided were made of, as they are only names. */
function reasonsOf(
  { expression }: PolicySpec['validations'][number],
  { spec, bindings }: Traced,
): readonly DecidingValue[] {
  const found = new Map<string, DecidingValue>();
  const sources = [expression];
  for (const source of sources) {
    for (const part of decidingValues(source, bindings)) {
      if (found.has(part.source)) continue;
      found.set(part.source, part);
      const name = /^variables\.(\w+)/.exec(part.source)?.[1];
      const variable = spec.variables.find((other) => other.name === name);
      if (variable && !sources.includes(variable.expression)) sources.push(variable.expression);
    }
  }
  return [...found.values()];
}
