import { describe, expect, it } from '@jest/globals';
import { TokenBuckets } from './token-buckets.js';

describe('TokenBuckets', () => {
  it('gives a burst, then so many a second, to each key by itself', () => {
    let now = 0;
    const buckets = new TokenBuckets({ perSecond: 2, burst: 3, now: () => now });
    expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([0, 0, 0, 500]);
    expect(buckets.take('b')).toBe(0);
    now = 499;
    expect(buckets.take('a')).toBeGreaterThan(0);
    now = 501;
    expect(buckets.take('a')).toBe(0);
    now = 1_000_000;
    expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([0, 0, 0, 500]);
  });

  it('takes tokens back, but never more than a bucket holds', () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1, now: () => 0 });
    buckets.take('a');
    buckets.giveBack('a', 5);
    expect([buckets.take('a'), buckets.take('a')]).toEqual([0, 1000]);
  });

  it('remembers a bounded number of keys', () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1, keys: 2, now: () => 0 });
    for (const key of ['a', 'b', 'c']) buckets.take(key);
    expect(buckets.take('c')).toBe(1000);
    expect(buckets.take('a')).toBe(0);
  });
});
