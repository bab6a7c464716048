import { describe, expect, it } from '@jest/globals';
import { isJsonObject, withoutUndefined } from './json.js';

describe('isJsonObject', () => {
  it.each([{}, { a: 1 }])('is true of %j', (value) => expect(isJsonObject(value)).toBe(true));
  it.each([null, undefined, [], 'text', 1])('is false of %j', (value) => expect(isJsonObject(value)).toBe(false));
});

describe('withoutUndefined', () => {
  it('keeps every field that says something, be it nothing or false', () => {
    const object = { none: undefined, zero: 0, no: false, empty: '', nothing: null };
    const kept = withoutUndefined(object);
    expect(Object.keys(kept)).toEqual(['zero', 'no', 'empty', 'nothing']);
    expect(Object.keys(object)).toHaveLength(5);
  });

  it('lets defaults stand that an undefined field would hide', () => {
    const stated: { readonly region?: string | undefined } = { region: undefined };
    expect({ region: 'eu-central-1', ...withoutUndefined(stated) }).toEqual({ region: 'eu-central-1' });
  });
});
