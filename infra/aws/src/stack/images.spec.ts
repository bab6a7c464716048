import { describe, expect, it } from '@jest/globals';
import { architectureOf } from './images.js';

describe('architectureOf', () => {
  it.each([
    { type: 'm5.large', want: 'amd64' },
    { type: 'g4dn.xlarge', want: 'amd64' },
    { type: 'c6i.2xlarge', want: 'amd64' },
    { type: 't3.micro', want: 'amd64' },
    { type: 'm6g.large', want: 'arm64' },
    { type: 'c7gn.xlarge', want: 'arm64' },
    { type: 'r6gd.medium', want: 'arm64' },
    { type: 't4g.small', want: 'arm64' },
  ])('$type has $want', ({ type, want }) => {
    expect(architectureOf(type)).toBe(want);
  });
});
