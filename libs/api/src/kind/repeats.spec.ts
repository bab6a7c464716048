import { describe, expect, it } from '@jest/globals';
import { repeats } from './repeats.js';

describe('repeats', () => {
  it('gives the places of all but the first of equal values', () => {
    expect(repeats(['a', 'b', 'a', 'c', 'a', 'c'])).toEqual([2, 4, 5]);
  });

  it('reads each value once', () => {
    let reads = 0;
    const read = { get: (target: number[], key: string | symbol): unknown => ((reads += 1), Reflect.get(target, key)) };
    expect(repeats(new Proxy([...Array(2000).keys()], read))).toEqual([]);
    expect(reads).toBeLessThan(10_000);
  });
});
