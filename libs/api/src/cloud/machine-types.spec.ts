import { describe, expect, it } from '@jest/globals';
import { vcpusOf } from './machine-types.js';

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
  ])('%s has %i', (type, vcpus) => {
    expect(vcpusOf(type)).toBe(vcpus);
  });

  it.each(['m5', 'large', 'm5.huge', 'm5.0xlarge', 'x9.metal', 'm5.large.x', 'constructor', '.large', ''])(
    'knows none of "%s"',
    (type) => {
      expect(vcpusOf(type)).toBeUndefined();
    },
  );
});
