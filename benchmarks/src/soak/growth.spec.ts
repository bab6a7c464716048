import { describe, expect, it } from '@jest/globals';
import { growthOf } from './growth.js';

function samples(mib: (index: number) => number): { requests: number; mib: number }[] {
  return Array.from({ length: 30 }, (_, index) => ({ requests: index * 1000, mib: mib(index) }));
}

describe('growthOf', () => {
  it.each([
    { name: 'a heap that stays', mib: () => 100, bytes: 0, ratio: 1 },
    { name: 'a heap that swings', mib: (index: number) => 100 + (index % 2), bytes: 0, ratio: 1 },
    {
      name: 'a heap that keeps a kibibyte of each request',
      mib: (index: number) => 100 + (index * 1000) / 1024,
      bytes: 1024,
      ratio: 1.187,
    },
    { name: 'a heap that shrinks', mib: (index: number) => 100 - index, bytes: -1048.576, ratio: 0.79 },
  ])('finds $bytes bytes a request in $name', ({ mib, bytes, ratio }) => {
    const growth = growthOf(samples(mib));
    expect(Math.abs(growth.bytesPerRequest - bytes)).toBeLessThan(5);
    expect(growth.ratio).toBeCloseTo(ratio, 2);
  });
});
