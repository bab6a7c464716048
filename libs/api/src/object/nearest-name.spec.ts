import { describe, expect, it } from '@jest/globals';
import { nearestName } from './nearest-name.js';

const NAMES = ['kubernetes', 'nodePools', 'network', 'region', 'a'];

describe('nearestName', () => {
  it.each([
    { reason: 'a letter left out', typed: 'kuberntes', want: 'kubernetes' },
    { reason: 'two letters swapped', typed: 'regoin', want: 'region' },
    { reason: 'a letter too many', typed: 'nodePoolls', want: 'nodePools' },
    { reason: 'another case', typed: 'nodepools', want: 'nodePools' },
    { reason: 'the nearest of two', typed: 'regiom', want: 'region' },
    { reason: 'nothing near', typed: 'colour', want: undefined },
    { reason: 'one letter is near to every other', typed: 'b', want: undefined },
    { reason: 'more than any name has', typed: `region${'n'.repeat(59)}`, want: undefined },
    { reason: 'nothing typed', typed: '', want: undefined },
  ])('$reason', ({ typed, want }) => {
    expect(nearestName(typed, NAMES)).toBe(want);
  });
});
