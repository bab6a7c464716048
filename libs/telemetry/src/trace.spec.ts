import { describe, expect, it } from '@jest/globals';
import { formatTraceparent, newSpanId, newTraceId, parseTraceparent } from './trace.js';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

describe('traceparent', () => {
  it('is read as it was written', () => {
    expect(parseTraceparent(formatTraceparent(trace, span))).toEqual({ traceId: trace, parentId: span, sampled: true });
    expect(parseTraceparent(formatTraceparent(trace, span, false))?.sampled).toBe(false);
  });

  it.each([
    { name: 'absent', header: undefined },
    { name: 'not hexadecimal', header: `00-${'g'.repeat(32)}-${span}-01` },
    { name: 'a zero trace id', header: `00-${'0'.repeat(32)}-${span}-01` },
    { name: 'a zero span id', header: `00-${trace}-${'0'.repeat(16)}-01` },
    { name: 'the forbidden version ff', header: `ff-${trace}-${span}-01` },
    { name: 'version 00 with more fields', header: `00-${trace}-${span}-01-more` },
    { name: 'upper case', header: `00-${trace.toUpperCase()}-${span}-01` },
  ])('is ignored when $name', ({ header }) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  it('of a later version may carry more fields', () => {
    expect(parseTraceparent(`01-${trace}-${span}-01-more`)?.traceId).toBe(trace);
  });
});

describe('new ids', () => {
  it('are of the standard length and differ', () => {
    expect(newTraceId()).toMatch(/^[0-9a-f]{32}$/);
    expect(newSpanId()).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set(Array.from({ length: 100 }, newTraceId)).size).toBe(100);
  });
});
