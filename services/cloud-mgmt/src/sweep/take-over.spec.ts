import type { Infrastructure } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { wishFor } from './take-over.js';

const OWNER = {
  spec: { clusterName: 'demo', machineGroups: [{ name: 'control-plane' }, { name: 'work-ers' }] },
} as unknown as Infrastructure;

describe('wishFor', () => {
  it.each([
    { name: 'demo-work-ers-2', want: 'scale node pool work-ers of Cluster demo to at least 3' },
    { name: 'demo-gpu-0', want: 'state node pool gpu of Cluster demo again, with at least 1 replicas' },
    { name: 'demo-control-plane-4', want: 'set spec.controlPlane.replicas of Cluster demo to at least 5' },
    { name: 'demo-bastion', want: undefined },
    { name: 'other-workers-2', want: undefined },
  ])('of $name is: $want', ({ name, want }) => {
    expect(wishFor({ type: 'aws_instance', tags: { Name: name } }, OWNER)).toBe(want);
  });

  it('is nothing for what is no machine', () => {
    expect(wishFor({ type: 'aws_vpc', tags: { Name: 'demo-workers-2' } }, OWNER)).toBeUndefined();
  });
});
