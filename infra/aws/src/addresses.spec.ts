import { describe, expect, it } from '@jest/globals';
import { cidrsOverlap } from '@crate/api';
import { zoneBlocks } from './addresses.js';

describe('zoneBlocks', () => {
  it('divides a /16', () => {
    expect([0, 1, 2].map((zone) => zoneBlocks('10.20.0.0/16', zone))).toEqual([
      { private: '10.20.0.0/18', public: '10.20.192.0/20' },
      { private: '10.20.64.0/18', public: '10.20.208.0/20' },
      { private: '10.20.128.0/18', public: '10.20.224.0/20' },
    ]);
  });

  it.each(['10.20.0.0/16', '172.31.0.0/20', '192.168.4.0/22'])('gives disjoint blocks of %s', (vpc) => {
    const blocks = [0, 1, 2].map((zone) => zoneBlocks(vpc, zone)).flatMap((zone) => [zone.private, zone.public]);
    const clashes = blocks.flatMap((left, index) =>
      blocks.slice(index + 1).filter((right) => cidrsOverlap(left, right)),
    );

    expect(clashes).toEqual([]);
    expect(blocks.every((block) => cidrsOverlap(block, vpc))).toBe(true);
  });

  it('refuses a zone beyond the third', () => {
    expect(() => zoneBlocks('10.20.0.0/16', 3)).toThrow(expect.objectContaining({ code: 'Invariant' }));
  });
});
