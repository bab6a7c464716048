import { describe, expect, it } from '@jest/globals';
import type { JsonSchema } from '@crate/resource-server';
import { checkValues, schemaIssues } from './value-schema.js';

/** A pattern that takes all of the time there is to find that it does not match this. */
const SLOW = '^(a+)+$';
const LONG = `${'a'.repeat(60)}!`;

function errorsOf(host: JsonSchema, value: unknown): readonly string[] {
  const schema = { type: 'object', properties: { host: { type: 'string', ...host } } };
  const { errors } = checkValues(schema, { host: value }, ['spec', 'parameters'], {
    owner: 'the class',
    one: 'parameter',
  });
  return errors.map(({ path, detail }) => `${path.join('.')}: ${detail}`);
}

// None of these would end while somebody waits.
describe('a pattern that takes very long', () => {
  it('is an error of the values that it takes long for', () => {
    expect(errorsOf({ pattern: SLOW }, LONG)).toEqual([
      'spec.parameters: it takes too long to match it against the patterns of its schema',
    ]);
    expect(errorsOf({ pattern: SLOW }, 'aaa')).toEqual([]);
    expect(errorsOf({ pattern: SLOW }, 'b')).toEqual([`spec.parameters.host: must match ${SLOW}`]);
  });

  it.each([
    { place: 'items', host: { type: 'array', items: { type: 'string', pattern: SLOW } }, value: [LONG] },
    {
      place: 'other members',
      host: { type: 'object', additionalProperties: { type: 'string', pattern: SLOW } },
      value: { a: LONG },
    },
  ])('is found in $place', ({ host, value }) => {
    expect(errorsOf(host, value)).toHaveLength(1);
  });

  it('is not tried on a text that is too long', () => {
    expect(errorsOf({ pattern: SLOW, maxLength: 10 }, LONG)).toEqual([
      'spec.parameters.host: must have at most 10 characters',
    ]);
  });

  it('is told of where the default of a schema meets it', () => {
    const issues = schemaIssues({
      type: 'object',
      properties: { host: { type: 'string', pattern: SLOW, default: LONG } },
    });
    expect(issues).toMatchObject([{ path: ['properties', 'host', 'default'] }]);
  });
});
