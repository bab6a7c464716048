import type { PolicySpec } from '@crate/api';

/** Which variables a rule may look at, of those that say more than the document. */
export interface RuleReads {
  readonly oldObject: boolean;
  readonly request: boolean;
}

const known = new WeakMap<PolicySpec, RuleReads>();

/** Told by the text of its expressions, where the name of a variable cannot be written otherwise: it may say too much, and never too little. */
export function readsOf(spec: PolicySpec): RuleReads {
  const before = known.get(spec);
  if (before) return before;
  // As it was written: in JSON, letters of an escape would run into the word behind them.
  const text = textsIn([spec.matchConditions, spec.variables, spec.validations, spec.auditAnnotations]).join('\n');
  const reads = { oldObject: /\boldObject\b/.test(text), request: /\brequest\b/.test(text) };
  known.set(spec, reads);
  return reads;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
