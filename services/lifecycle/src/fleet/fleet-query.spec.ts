import { describe, expect, it } from '@jest/globals';
import { isPlatformError } from '@crate/errors';
import { parseFleetQuery, watchTimeoutOf } from './fleet-query.js';

function fieldsOf(parameters: string): readonly (string | undefined)[] {
  try {
    parseFleetQuery(new URLSearchParams(parameters));
  } catch (error) {
    if (!isPlatformError(error)) throw error;
    expect(error.code).toBe('BadRequest');
    return (error.details.causes ?? []).map(({ field }) => field);
  }
  return [];
}

describe('parseFleetQuery', () => {
  it('asks for what needs a person first, when nothing is said', () => {
    expect(parseFleetQuery(new URLSearchParams())).toMatchObject({
      ...{ filters: {}, healths: undefined, text: undefined, order: '-attention', offset: 0, limit: 100 },
    });
  });

  it('is the same for all that ask the same', () => {
    const [one, two, other] = ['project=b,a&q=X', 'q=x&project=a&project=b&watch=true', 'project=a&q=x'].map(
      (text) => parseFleetQuery(new URLSearchParams(text)).key,
    );
    expect(one).toBe(two);
    expect(one).not.toBe(other);
  });

  const bad: readonly { parameters: string; want: readonly string[] }[] = [
    { parameters: 'limit=0', want: ['limit'] },
    { parameters: 'limit=501', want: ['limit'] },
    { parameters: 'limit=1e2', want: ['limit'] },
    { parameters: 'limit=1&limit=2', want: ['limit'] },
    { parameters: 'offset=-1', want: ['offset'] },
    { parameters: 'sort=colour', want: ['sort'] },
    { parameters: 'sort=--name', want: ['sort'] },
    { parameters: 'health=healthy', want: ['health'] },
    { parameters: 'health=', want: ['health'] },
    { parameters: 'project=,', want: ['project'] },
    { parameters: `q=${'x'.repeat(201)}`, want: ['q'] },
    { parameters: 'colour=blue', want: ['colour'] },
    {
      parameters: 'limit=x&offset=y&sort=z&health=a,b&colour=',
      want: ['colour', 'health', 'health', 'sort', 'offset', 'limit'],
    },
    { parameters: 'watch=true&timeoutSeconds=5&pretty=true&limit=500&offset=0&sort=-cost&q=', want: [] },
  ];
  it.each(bad)('names all that is wrong with $parameters', ({ parameters, want }) => {
    expect(fieldsOf(parameters)).toEqual(want);
  });

  it('says what to write instead', () => {
    expect(() => parseFleetQuery(new URLSearchParams('sort=colour&limit=0'))).toThrow(
      /^sort: Unsupported value: "colour": supported values: attention, .*; limit: Invalid value: "0": must be a whole number from 1 to 500$/,
    );
  });
});

describe('watchTimeoutOf', () => {
  it('is in milliseconds, or as long as the reader likes', () => {
    expect(watchTimeoutOf(new URLSearchParams('timeoutSeconds=5'))).toBe(5_000);
    expect(watchTimeoutOf(new URLSearchParams())).toBeUndefined();
    expect(() => watchTimeoutOf(new URLSearchParams('timeoutSeconds=never'))).toThrow(/^timeoutSeconds: /);
  });
});
