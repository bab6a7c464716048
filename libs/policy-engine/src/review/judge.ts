import type { PolicyViolation } from '@crate/api';
import type { Bindings, Expression } from '@crate/cel';
import type { CompiledPolicy, CompiledValidation, NamedExpression } from '../rule/compiled-policy.js';

/** Objections of one validation that are kept one by one, for waivers that cover some of them; the rest is a number. */
const KEPT = 1_000;

/** One thing a rule objects to. */
export interface Objection extends Pick<PolicyViolation, 'field' | 'message'> {
  /** Which of the rule's validations does. */
  readonly validation: number;
  /** It stands for so many, of fields that nobody has looked at one by one. */
  readonly rest?: number;
  /** An update leaves it as it was. */
  readonly stood?: true;
}

/** What a rule says of a document. */
export interface Judgement {
  /** False when a match condition was not met; then there is nothing else. */
  readonly applies: boolean;
  readonly objections: readonly Objection[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

const DOES_NOT_APPLY: Judgement = { applies: false, objections: [], auditAnnotations: {} };

/** Judges a document by one rule. Throws when an expression cannot be evaluated. */
export function judge(policy: CompiledPolicy, given: Bindings): Judgement {
  if (policy.matchConditions.some(({ expression }) => expression.evaluate(given) === false)) return DOES_NOT_APPLY;
  const scope: Scope = { ...given, variables: lazily(policy.variables, given), item: undefined, index: undefined };
  const objections = policy.validations.flatMap((validation, index) => objectionsOf(validation, index, scope));
  return { applies: true, objections, auditAnnotations: annotationsOf(policy, scope) };
}

/** What expressions see. One for a whole rule: making one for each item costs more than most expressions do. */
interface Scope extends Record<string, unknown> {
  item: unknown;
  index: bigint | undefined;
}

/** Each is worked out when it is first asked for, so that one which does not fit a document harms no rule that does not ask. */
export function lazily(variables: readonly NamedExpression[], given: Bindings): Bindings {
  const values = {};
  const scope = { ...given, variables: values };
  for (const { name, expression } of variables) {
    Object.defineProperty(values, name, {
      enumerable: true,
      configurable: true,
      get: () => {
        const value = expression.evaluate(scope);
        Object.defineProperty(values, name, { value, enumerable: true });
        return value;
      },
    });
  }
  return values;
}

function objectionsOf(validation: CompiledValidation, place: number, scope: Scope): readonly Objection[] {
  const { forEach, when, expression } = validation;
  scope.item = undefined;
  scope.index = undefined;
  const items = forEach ? (forEach.evaluate(scope) as readonly unknown[]) : [scope['object']];
  const kept: Objection[] = [];
  let rest = 0;
  for (const [index, item] of items.entries()) {
    scope.item = item;
    scope.index = BigInt(index);
    if (when?.evaluate(scope) === false || expression.evaluate(scope) !== false) continue;
    if (kept.length < KEPT) kept.push({ ...objectionOf(validation, scope), validation: place });
    else rest += 1;
  }
  const [first] = kept;
  return first && rest > 0 ? [...kept, { ...first, rest }] : kept;
}

function objectionOf(
  { spec, message, field }: CompiledValidation,
  scope: Bindings,
): Pick<Objection, 'field' | 'message'> {
  const plain = spec.message ?? `Does not satisfy: ${spec.expression.trim()}`;
  return { field: textOf(field, scope) ?? spec.field ?? 'spec', message: textOf(message, scope) ?? plain };
}

/** A message that cannot be made gives way to the plain one, as in Kubernetes: the verdict stands without it. */
function textOf(expression: Expression | undefined, scope: Bindings): string | undefined {
  try {
    const text = expression?.evaluate(scope) as string | undefined;
    return text?.trim() === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

function annotationsOf({ auditAnnotations }: CompiledPolicy, bindings: Bindings): Readonly<Record<string, string>> {
  const texts = auditAnnotations.map(({ key, value }) => [key, value.evaluate(bindings) as string] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}
