import { describe, expect, it } from '@jest/globals';
import { upgradeVersions } from './upgrade-versions.js';

const KNOWN = ['v1.30.8', 'v1.32.4', 'v1.31.10', 'v1.31.8', 'v1.30.12', 'v2.0.0'];

describe('upgradeVersions', () => {
  it.each([
    {
      reason: 'patches and the next minor version, newest first',
      from: 'v1.30.8',
      want: ['v1.31.10', 'v1.31.8', 'v1.30.12'],
    },
    { reason: 'never two minor versions at once', from: 'v1.29.0', want: ['v1.30.12', 'v1.30.8'] },
    { reason: 'never back, and never to the same', from: 'v1.31.8', want: ['v1.32.4', 'v1.31.10'] },
    { reason: 'nothing beyond the newest', from: 'v1.32.4', want: [] },
  ])('has $reason', ({ from, want }) => {
    expect(upgradeVersions(from, KNOWN)).toEqual(want);
  });
});
