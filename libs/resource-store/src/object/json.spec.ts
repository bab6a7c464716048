import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cloneJson } from './json.js';

describe('cloneJson', () => {
  it('gives what is alike and shares nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = cloneJson(value);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
        expect(shared(copy, value)).toBe(false);
      }),
    );
  });

  it('takes a field for a field that would be a prototype elsewhere', () => {
    const text = '{"__proto__":{"x":1},"y":{"__proto__":{"z":[1]}}}';
    const copy = cloneJson(JSON.parse(text) as object);
    expect([JSON.stringify(copy), Object.getPrototypeOf(copy)]).toEqual([text, Object.prototype]);
  });
});

function shared(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || left === null || typeof right !== 'object' || right === null) return false;
  return left === right || Object.keys(left).some((key) => shared(own(left, key), own(right, key)));
}

const own = (object: object, key: string): unknown => Object.getOwnPropertyDescriptor(object, key)?.value;
