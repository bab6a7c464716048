import type { PolicyViolation } from '@crate/api';
import type { Bindings } from '@crate/cel';
import type { CompiledPolicy } from '../policy/compiled-policy.js';

/** Violations of one rule that are told one by one; the rest is told as a number. */
const TOLD = 10;

/** One thing a rule objects to. */
export type Objection = Pick<PolicyViolation, 'field' | 'message'>;

/** Judges a document by one rule. Throws when an expression cannot be evaluated. */
export function judge(policy: CompiledPolicy, bindings: Bindings): readonly Objection[] {
  const items = policy.forEach
    ? (policy.forEach.evaluate(bindings) as readonly unknown[])
    : [(bindings as { readonly document: unknown }).document];
  const bad = items
    .map((item, index) => ({ ...bindings, item, index: BigInt(index) }))
    .filter((scope) => policy.when?.evaluate(scope) !== false && policy.expression.evaluate(scope) === false);
  const told = bad.slice(0, TOLD).map((scope) => ({ field: policy.field(scope), message: policy.message(scope) }));
  const last = told.at(-1);
  if (!last || bad.length <= TOLD) return told;
  return [...told.slice(0, -1), { ...last, message: `${last.message} (and ${bad.length - TOLD} more)` }];
}
