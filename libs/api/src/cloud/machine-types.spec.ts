import { describe, expect, it } from '@jest/globals';
import { architectureOf, vcpusOf } from './machine-types.js';

describe('vcpusOf', () => {
  it.each<[string, number]>([
    ['m5.large', 2],
    ['m5.xlarge', 4],
    ['m5.24xlarge', 96],
    ['c5.9xlarge', 36],
    ['c4.8xlarge', 36],
    ['m6g.medium', 1],
    ['t3.nano', 2],
    ['t3.medium', 2],
    ['t2.micro', 1],
    ['t2.medium', 2],
    ['t3.2xlarge', 8],
    ['x2iezn.12xlarge', 48],
    ['m5.metal', 96],
    ['hpc7a.96xlarge', 192],
    ['m7i-flex.8xlarge', 32],
    ['c7i-flex.large', 2],
    ['u7i-12tb.224xlarge', 896],
    ['u-6tb1.56xlarge', 224],
    ['m7i.metal-24xl', 96],
    ['m10i.large', 2],
    ['t10g.medium', 2],
    ['c12gn.metal-48xl', 192],
    ['p6-b200.48xlarge', 192],
    ['p6e-gb200.36xlarge', 144],
  ])('%s has %i', (type, vcpus) => {
    expect(vcpusOf(type)).toBe(vcpus);
  });

  it.each([
    'm5',
    'large',
    'm5.huge',
    'm5.0xlarge',
    'x9.metal',
    'm5.metal-xl',
    'm5-huge.large',
    'u.large',
    'm5.large.x',
    'constructor',
    '.large',
    '',
  ])('knows none of "%s"', (type) => {
    expect(vcpusOf(type)).toBeUndefined();
  });
});

describe('architectureOf', () => {
  it.each([
    { type: 'm5.large', want: 'amd64' },
    { type: 'g4dn.xlarge', want: 'amd64' },
    { type: 'c6i.2xlarge', want: 'amd64' },
    { type: 't3.micro', want: 'amd64' },
    { type: 'a1.large', want: 'arm64' },
    { type: 'm6g.large', want: 'arm64' },
    { type: 'c7gn.xlarge', want: 'arm64' },
    { type: 'r6gd.medium', want: 'arm64' },
    { type: 't4g.small', want: 'arm64' },
    { type: 'm10g.large', want: 'arm64' },
    { type: 'm10i.large', want: 'amd64' },
    { type: 'p6-b200.48xlarge', want: 'amd64' },
    { type: 'p6e-gb200.36xlarge', want: 'arm64' },
    { type: 'p6e-gb300.36xlarge', want: 'arm64' },
  ])('$type has $want', ({ type, want }) => {
    expect(architectureOf(type)).toBe(want);
  });
});
