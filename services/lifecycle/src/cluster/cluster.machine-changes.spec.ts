import { describe, expect, it } from '@jest/globals';
import type { Cluster } from '@crate/api';
import { aCluster } from '../testing/a-cluster.js';
import { machineChangeCauses } from './cluster.machine-changes.js';

const aPool = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.large', diskGiB: 100, ...changes }],
});
const causesOf = (now: Record<string, unknown>, was = aPool()): readonly (string | undefined)[] =>
  machineChangeCauses(aCluster(now), aCluster(was)).map(({ field }) => field);

describe('a change of machines', () => {
  it.each([
    { name: 'a pool gets another architecture', now: aPool({ machineType: 'm6g.large' }), field: 'machineType' },
    { name: 'the disks of a pool shrink', now: aPool({ diskGiB: 50 }), field: 'diskGiB' },
  ])('is refused when $name', ({ now, field }) => {
    const causes = machineChangeCauses(aCluster(now), aCluster(aPool()));
    expect(causes).toMatchObject([{ field: `spec.nodePools[0].${field}` }]);
    expect(causes[0]?.message).toMatch(/add a pool and take the old one away$/);
  });

  it('is refused when the control plane gets another architecture or smaller disks', () => {
    const was = { controlPlane: { machineType: 'm6g.large', diskGiB: 100 } };
    expect(causesOf({ controlPlane: { machineType: 'm5.large', diskGiB: 50 } }, was)).toEqual([
      'spec.controlPlane.machineType',
      'spec.controlPlane.diskGiB',
    ]);
  });

  it.each([
    { name: 'another size', now: aPool({ machineType: 'm6i.4xlarge' }) },
    { name: 'larger disks', now: aPool({ diskGiB: 200 }) },
    { name: 'another pool instead', now: aPool({ name: 'arm', machineType: 'm6g.large', diskGiB: 20 }) },
    { name: 'no pool at all', now: { nodePools: [] } },
  ])('may be to $name', ({ now }) => {
    expect(causesOf(now)).toEqual([]);
  });

  it('finds a pool again by its name, wherever it stands', () => {
    const [workers] = aPool({ diskGiB: 50 })['nodePools'] as unknown[];
    expect(causesOf({ nodePools: [{ name: 'first' }, workers] })).toEqual(['spec.nodePools[1].diskGiB']);
  });

  it('may give up larger disks that the cloud did not give', () => {
    const failure = { code: 'QuotaExceeded', message: 'no more', retryable: true };
    const was = { ...aCluster(aPool()), status: { failure } } as Cluster;
    expect(machineChangeCauses(aCluster(aPool({ diskGiB: 50 })), was)).toEqual([]);
    expect(machineChangeCauses(aCluster(aPool({ machineType: 'm6g.large' })), was)).toHaveLength(1);
  });

  it('is none for a new cluster', () => {
    expect(machineChangeCauses(aCluster(aPool()), undefined)).toEqual([]);
  });
});
