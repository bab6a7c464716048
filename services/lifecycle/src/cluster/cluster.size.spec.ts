import { describe, expect, it } from '@jest/globals';
import type { Cluster } from '@crate/api';
import { aCluster } from '../testing/a-cluster.js';
import { sizeCauses } from './cluster.size.js';

/** With three machines of the control plane. */
function of(...workers: readonly number[]): Cluster {
  const cluster = aCluster();
  const [pool] = cluster.spec.nodePools;
  const nodePools = workers.map((replicas, index) => ({ ...pool!, name: `pool-${index}`, replicas }));
  return {
    ...cluster,
    spec: { ...cluster.spec, controlPlane: { ...cluster.spec.controlPlane!, replicas: 3 }, nodePools },
  };
}

describe('the size of a cluster', () => {
  it.each([
    { name: 'as many as the engine can keep the state of', now: of(100, 7), old: undefined },
    { name: 'no machines at all', now: of(0), old: undefined },
    { name: 'too many, which it had before', now: of(150), old: of(150) },
    { name: 'fewer than it had, though still too many', now: of(149), old: of(150) },
  ])('may be $name', ({ now, old }) => {
    expect(sizeCauses(now, old)).toEqual([]);
  });

  it.each([
    { name: 'too many, over all pools', now: of(100, 8), old: undefined },
    { name: 'more than before, and too many', now: of(108), old: of(107) },
  ])('may not be $name', ({ now, old }) => {
    const [found] = sizeCauses(now, old);
    expect(found).toMatchObject({ field: 'spec.nodePools', reason: 'FieldValueInvalid' });
    expect(found?.message).toBe(
      'Invalid value: "111 machines": must come to at most 110 machines with the control plane, which is what rke can keep the state of: take larger machines, or a second cluster',
    );
  });
});
