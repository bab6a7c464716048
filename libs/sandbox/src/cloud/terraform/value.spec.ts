import { describe, expect, it } from '@jest/globals';
import { decodeValue, encodeValue, isKnown, UNKNOWN, withoutUnknown, type Value } from './value.js';

describe('values on the wire', () => {
  it.each<{ name: string; value: Value }>([
    { name: 'null', value: null },
    { name: 'an object', value: { id: 'vpc-1', port: 6443, tags: { a: 'b' }, list: ['x', true], none: null } },
    { name: 'an unknown', value: UNKNOWN },
    { name: 'an unknown inside', value: { id: UNKNOWN, list: [UNKNOWN, 'x'] } },
  ])('come back as they were: $name', ({ value }) => {
    expect(decodeValue(encodeValue(value))).toEqual(value);
  });

  it('mark an unknown as Terraform does', () => {
    expect(Buffer.from(encodeValue(UNKNOWN).msgpack).toString('hex')).toBe('d40000');
  });

  it('take an unknown of which something is known for an unknown', () => {
    // Extension 12 with the refinement {1: false}, "not null".
    expect(decodeValue({ msgpack: Buffer.from('c7030c8101c2', 'hex') })).toBe(UNKNOWN);
  });

  it('are null when nothing was sent', () => {
    expect(decodeValue({ msgpack: new Uint8Array() })).toBeNull();
    expect(decodeValue(null)).toBeNull();
  });
});

describe('isKnown', () => {
  it.each<{ value: Value; want: boolean }>([
    { value: 'x', want: true },
    { value: null, want: true },
    { value: UNKNOWN, want: false },
    { value: { a: { b: [UNKNOWN] } }, want: false },
    { value: { a: { b: ['x'] } }, want: true },
  ])('$want for $value', ({ value, want }) => {
    expect(isKnown(value)).toBe(want);
  });
});

describe('withoutUnknown', () => {
  it('puts null for what is unknown, at any depth', () => {
    expect(withoutUnknown({ a: UNKNOWN, b: [{ c: UNKNOWN, d: 1 }] })).toEqual({ a: null, b: [{ c: null, d: 1 }] });
  });
});
