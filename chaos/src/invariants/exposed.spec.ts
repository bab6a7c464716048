import { describe, expect, it } from '@jest/globals';
import { aWorld, madeByCluster } from '../testing/a-world.js';
import { finds } from '../testing/finds.js';
import type { World } from '../world/world.js';
import { judge } from './all.js';

/** A cluster whose workloads have a load balancer and a volume, and what is left of that in the cloud. */
function exposed(...left: readonly string[]): Partial<World> {
  const { acknowledged, cloud } = aWorld();
  const entries = acknowledged.map((entry) => ({ ...entry, what: 'exposed' as const }));
  return { acknowledged: entries, cloud: [...cloud, ...left.map((type) => madeByCluster(type))] };
}

describe('what workloads have', () => {
  finds('what workloads have in the cloud stays', [
    {
      reason: 'a cluster whose load balancer was taken away',
      planted: exposed('aws_ebs_volume'),
      message: /Cluster demo has lost its aws_lb/,
    },
    {
      reason: 'a cluster whose volume was taken away',
      planted: exposed('aws_lb'),
      message: /Cluster demo has lost its aws_ebs_volume/,
    },
  ]);

  it('takes what a cluster made for its own', () => {
    expect(judge(aWorld(exposed('aws_lb', 'aws_ebs_volume')))).toEqual([]);
  });
});
