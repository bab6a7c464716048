import type { PolicySpec } from '@crate/api';
import { textsIn } from './rule-reads.js';

/** What an expression may call and still take one step, or one for each character it is given. */
const STEPS: ReadonlySet<string> = new Set([
  'has',
  'size',
  'string',
  'int',
  'orValue',
  'hasValue',
  'startsWith',
  'endsWith',
]);

const known = new WeakMap<PolicySpec, boolean>();

/**
 * Whether a rule cannot take long over a small document, whatever stands in it: it has no loop but the one of `forEach`, no regular expression, and
 * nothing that could grow from one variable to the next. Told by its text, and where that is in doubt, it is not short.
 */
export function isShortRule(spec: PolicySpec): boolean {
  const before = known.get(spec);
  if (before !== undefined) return before;
  const isShort = spec.variables.length === 0 && isEachShort(spec);
  known.set(spec, isShort);
  return isShort;
}

function isEachShort({ matchConditions, validations, auditAnnotations }: PolicySpec): boolean {
  // Params may be long lists, which a loop must not look through for each item.
  const loops = validations.filter(({ forEach }) => forEach !== undefined);
  if (loops.some((validation) => /\bin\b/.test(textsIn(validation).join('\n')))) return false;
  return textsIn([matchConditions, validations, auditAnnotations]).every(callsStepsOnly);
}

/** What stands in a text or behind it as a comment counts, too: it could hide what is called. */
function callsStepsOnly(text: string): boolean {
  if (text.includes('//')) return false;
  return [...text.matchAll(/(\w+)\s*\(/g)].every(([, name = '']) => STEPS.has(name));
}
