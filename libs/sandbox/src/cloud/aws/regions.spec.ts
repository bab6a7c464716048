import { describe, expect, it } from '@jest/globals';
import { isRegion, zonesOf } from './regions.js';

describe('regions', () => {
  it.each(['us-east-1', 'eu-central-2', 'eu-south-2', 'il-central-1', 'ap-southeast-3', 'me-central-1', 'ca-west-1'])(
    'are there as in AWS: %s',
    (region) => {
      expect(isRegion(region)).toBe(true);
    },
  );

  it.each(['eu-central-9', 'cn-north-1', 'frankfurt'])('are no others: %s', (region) => {
    expect(isRegion(region)).toBe(false);
  });

  it('have three zones each, and those two that have no more', () => {
    expect(zonesOf('eu-central-2').map(({ name }) => name)).toEqual([
      'eu-central-2a',
      'eu-central-2b',
      'eu-central-2c',
    ]);
    expect(zonesOf('us-west-1').map(({ name }) => name)).toEqual(['us-west-1a', 'us-west-1b']);
  });
});
