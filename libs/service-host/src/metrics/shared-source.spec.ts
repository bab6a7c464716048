import { describe, expect, it } from '@jest/globals';
import { sharedSource } from './shared-source.js';

describe('a shared source', () => {
  it('is looked at once for all who ask in the same scrape', async () => {
    let [looks, now] = [0, 0];
    const source = sharedSource(
      () => Promise.resolve(++looks),
      () => now,
    );
    expect(await Promise.all([source(), source()])).toEqual([1, 1]);
    now = 10_000;
    expect(await source()).toBe(2);
  });

  it('is looked at again after a look that failed', async () => {
    let looks = 0;
    const source = sharedSource(
      () => (++looks === 1 ? Promise.reject(new Error('away')) : Promise.resolve(looks)),
      () => 0,
    );
    await expect(source()).rejects.toThrow('away');
    expect(await source()).toBe(2);
  });
});
