import { describe, expect, it } from '@jest/globals';
import type { Cluster } from '@crate/api';
import { aCluster } from '../testing/a-cluster.js';
import { regionCauses } from './cluster.regions.js';

function inRegion(region: string, availabilityZones?: number): Cluster {
  const cluster = aCluster();
  const network = { ...cluster.spec.network!, ...(availabilityZones === undefined ? {} : { availabilityZones }) };
  return { ...cluster, spec: { ...cluster.spec, region, network } };
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

  it('is one with as many zones as are asked for', () => {
    expect(regionCauses(inRegion('us-west-1', 3), undefined)).toMatchObject([
      { field: 'spec.network.availabilityZones', message: expect.stringContaining('at most 2') },
    ]);
    expect(regionCauses(inRegion('us-west-1', 2), undefined)).toEqual([]);
    expect(regionCauses(inRegion('us-west-2', 3), undefined)).toEqual([]);
    expect(regionCauses(inRegion('us-west-1', 3), inRegion('us-west-1', 3))).toEqual([]);
  });

  it('is not judged again of a cluster that is there', () => {
    expect(regionCauses(inRegion('cn-north-1'), inRegion('cn-north-1'))).toEqual([]);
  });
});
