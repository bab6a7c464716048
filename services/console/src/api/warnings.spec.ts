import { describe, expect, it } from '@jest/globals';
import { warningsOf } from './warnings.js';

describe('warnings of an answer', () => {
  it('are read one by one, with commas and quotes in them', () => {
    const headers = new Headers();
    headers.append('warning', '299 - "nodes that join: a, b"');
    headers.append('warning', String.raw`299 - "policy \"x\" says no"`);
    expect(warningsOf(headers)).toEqual(['nodes that join: a, b', 'policy "x" says no']);
  });

  it('are none when there is no such header', () => {
    expect(warningsOf(new Headers())).toEqual([]);
  });
});
