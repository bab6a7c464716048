import { isLinearPattern, withinProcessorTime } from '@crate/cel';
import { hasCode } from '@crate/errors';
import { checkStructure, type JsonSchema } from '@crate/resource-server';

/** Time for all parameters of a class, or all values of an add-on. Real ones take a part of a millisecond. */
const CHECK_MS = 200;

type Checked = ReturnType<typeof checkStructure>;

/**
 * As `checkStructure`, and never takes long: whoever states a value chooses what a pattern has to go through, and some patterns find 2ⁿ ways through
 * n characters. What is not known by then is an error of the whole.
 */
export function checkInTime(document: Parameters<typeof checkStructure>[0], schema: JsonSchema): Checked {
  const check = (): Checked => checkStructure(document, schema);
  // A clock costs more than most checks.
  if (!mayTakeLong(schema)) return check();
  try {
    return withinProcessorTime(CHECK_MS, check, () => undefined);
  } catch (error) {
    if (!hasCode(error, 'Timeout')) throw error;
    const detail = 'it takes too long to match it against the patterns of its schema';
    return { body: {}, errors: [{ path: [], reason: 'FieldValueInvalid', detail }], unknown: [] };
  }
}

const known = new WeakMap<JsonSchema, boolean>();

function mayTakeLong(schema: JsonSchema): boolean {
  let answer = known.get(schema);
  if (answer === undefined) known.set(schema, (answer = !patternsIn(schema).every(isLinearPattern)));
  return answer;
}

function patternsIn({ pattern, properties = {}, items, additionalProperties }: JsonSchema): readonly string[] {
  const below = [...Object.values(properties), items, additionalProperties].filter((each) => typeof each === 'object');
  return [...(pattern === undefined ? [] : [pattern]), ...below.flatMap(patternsIn)];
}
