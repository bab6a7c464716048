import { describe, expect, it } from '@jest/globals';
import type { Cluster } from '@crate/api';
import { aCluster } from '../testing/a-cluster.js';
import { regionCauses } from './cluster.regions.js';

function inRegion(region: string): Cluster {
  const cluster = aCluster();
  return { ...cluster, spec: { ...cluster.spec, region } };
}

describe('the region of a new cluster', () => {
  it.each(['cn-north-1', 'us-gov-west-1', 'us-iso-east-1', 'us-isob-east-1', 'eusc-de-east-1'])(
    'may not be %s',
    (region) => {
      expect(regionCauses(inRegion(region), undefined)).toMatchObject([{ field: 'spec.region' }]);
    },
  );

  it.each(['us-east-1', 'eu-central-1', 'cnx-1', 'ap-southeast-2'])('may be %s', (region) => {
    expect(regionCauses(inRegion(region), undefined)).toEqual([]);
  });

  it('is not judged again of a cluster that is there', () => {
    expect(regionCauses(inRegion('cn-north-1'), inRegion('cn-north-1'))).toEqual([]);
  });
});
