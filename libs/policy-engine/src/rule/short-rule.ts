import type { PolicySpec } from '@crate/api';
import { isLinearPattern } from '@crate/cel';
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

/** What an expression may match texts against besides: a pattern that is a param, which is looked at by itself. */
const MATCH = 'matches';
const MATCH_OF_PARAM = /\bmatches\s*\(\s*params\.([A-Za-z_]\w*)\s*\)/g;

/** Params that must be patterns of linear time for the rule to be short; undefined: it is not short, whatever its params. */
type Patterns = readonly string[] | undefined;

const known = new WeakMap<PolicySpec, { readonly patterns: Patterns }>();
const knownParams = new WeakMap<object, ReadonlySet<string>>();

/**
 * Whether a rule cannot take long over a small document, whatever stands in it: it has no loop but the one of `forEach`, no regular expression but
 * such as take a few steps for each character, and nothing that could grow from one variable to the next. Told by its text and by the params that
 * hold, and where that is in doubt, it is not short.
 */
export function isShortRule(spec: PolicySpec, params: Readonly<Record<string, unknown>>): boolean {
  let shape = known.get(spec);
  if (!shape) known.set(spec, (shape = { patterns: spec.variables.length === 0 ? patternsOf(spec) : undefined }));
  const { patterns } = shape;
  if (!patterns) return false;
  return patterns.length === 0 || patterns.every((name) => linearParams(params).has(name));
}

function patternsOf({ matchConditions, validations, auditAnnotations }: PolicySpec): Patterns {
  // Params may be long lists, and documents long texts, which a loop must not look through for each item.
  const loops = validations.filter(({ forEach }) => forEach !== undefined);
  if (loops.some((validation) => /\b(?:in|matches)\b/.test(textsIn(validation).join('\n')))) return undefined;
  const texts = textsIn([matchConditions, validations, auditAnnotations]);
  if (!texts.every(callsStepsOnly)) return undefined;
  return texts.flatMap((text) => [...text.matchAll(MATCH_OF_PARAM)].map(([, name = '']) => name));
}

/** What stands in a text or behind it as a comment counts, too: it could hide what is called. */
function callsStepsOnly(text: string): boolean {
  if (text.includes('//')) return false;
  const calls = [...text.matchAll(/(\w+)\s*\(/g)].map(([, name = '']) => name);
  const matches = calls.filter((name) => name === MATCH).length;
  if (matches !== [...text.matchAll(MATCH_OF_PARAM)].length) return false;
  return calls.every((name) => name === MATCH || STEPS.has(name));
}

/** Names of the params that are patterns of linear time. */
function linearParams(params: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const before = knownParams.get(params);
  if (before) return before;
  const linear = Object.entries(params).filter(([, value]) => typeof value === 'string' && isLinearPattern(value));
  const names = new Set(linear.map(([name]) => name));
  knownParams.set(params, names);
  return names;
}
