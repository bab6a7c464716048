import { impactOfChange, type PlannedResource } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { aCluster } from '../../testing/a-cluster.js';
import { nodeChanges } from './node-changes.js';

const POOLS = [
  { name: 'a', replicas: 1 },
  { name: 'b', replicas: 1 },
];

interface Row {
  readonly name: string;
  /** Size of the control plane before. */
  readonly replicas?: number;
  readonly spec: Record<string, unknown>;
  readonly resources?: readonly PlannedResource[];
  readonly want: readonly string[];
}

const replaced: PlannedResource = {
  address: 'aws_instance.demo-a-0',
  type: 'aws_instance',
  name: 'demo-a-0',
  action: 'replace',
  changes: [],
};

describe('nodeChanges', () => {
  const rows: readonly Row[] = [
    { name: 'nothing for labels', spec: { nodePools: [{ ...POOLS[0], labels: { a: 'b' } }, POOLS[1]] }, want: [] },
    {
      name: 'the nodes of the one pool that gets other machines',
      spec: { nodePools: [{ ...POOLS[0], machineType: 'm5.xlarge' }, POOLS[1]] },
      want: ['demo-a-0 restart'],
    },
    {
      name: 'all nodes for another version',
      spec: { kubernetes: { version: 'v1.30.8' } },
      want: ['demo-control-plane-0 roll', 'demo-a-0 roll', 'demo-b-0 roll'],
    },
    { name: 'those of a pool that goes', spec: { nodePools: [POOLS[1]] }, want: ['demo-a-0 leave'] },
    {
      name: 'all nodes when a control plane grows: workers are told where it is',
      spec: { controlPlane: { replicas: 3 } },
      want: [
        ...['demo-control-plane-1 join', 'demo-control-plane-2 join'],
        ...['demo-control-plane-0 restart', 'demo-a-0 restart', 'demo-b-0 restart'],
      ],
    },
    {
      name: 'all nodes when a control plane shrinks',
      replicas: 3,
      spec: { controlPlane: { replicas: 1 } },
      want: [
        ...['demo-control-plane-1 leave', 'demo-control-plane-2 leave'],
        ...['demo-control-plane-0 restart', 'demo-a-0 restart', 'demo-b-0 restart'],
      ],
    },
    { name: 'what Terraform makes anew', spec: {}, resources: [replaced], want: ['demo-a-0 replace'] },
  ];
  it.each(rows)('names $name', ({ replicas = 1, spec, resources, want }) => {
    const before = aCluster({ controlPlane: { replicas }, nodePools: POOLS });
    const after = aCluster({ controlPlane: { replicas: 1 }, nodePools: POOLS, ...spec });
    const got = nodeChanges({ before, after }, impactOfChange(before.spec, after.spec), resources);
    expect(got.map(({ name, change }) => `${name} ${change}`)).toEqual(want);
  });
});
