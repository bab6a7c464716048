import { describe, expect, it } from '@jest/globals';
import { sizeOf } from './machine-types.js';

describe('the size of a machine', () => {
  it.each([
    ['t3.nano', 2, 0.5],
    ['t2.micro', 1, 1],
    ['t3.2xlarge', 8, 32],
    ['m5.large', 2, 8],
    ['c5.9xlarge', 36, 72],
    ['r6gd.medium', 1, 8],
    ['m7i-flex.large', 2, 8],
    ['c7i-flex.xlarge', 4, 8],
    ['im4gn.large', 2, 8],
    ['z1d.large', 2, 16],
    ['d3.xlarge', 4, 32],
    ['inf2.xlarge', 4, 16],
    ['m5.metal', 96, 384],
    ['m7i.metal-24xl', 96, 384],
  ])('%s has %d processors and %d GiB', (type, cpus, gib) => {
    expect(sizeOf(type)).toEqual({ cpus, memoryMiB: gib * 1024 });
  });

  it.each(['m5.larg', 'm5', 'large', 't3.16xlarge', 'constructor'])(
    'is none for %s, which AWS does not have',
    (type) => {
      expect(sizeOf(type)).toBeUndefined();
    },
  );
});
