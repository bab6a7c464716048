import { describe, expect, it } from '@jest/globals';
import type { InfrastructureOutputs } from '@crate/api';
import { aCluster } from '../testing/a-cluster.js';
import { clusterNodes, desiredNodeNames, machineGroups } from './cluster.nodes.js';

function outputs(...names: string[]): InfrastructureOutputs {
  const machines = names.map((name, index) => ({
    name,
    group: name.includes('control-plane') ? 'control-plane' : 'workers',
    role: name.includes('control-plane') ? ('control-plane' as const) : ('worker' as const),
    instanceId: `i-${index}`,
    privateIp: `10.20.0.${index}`,
    zone: 'us-east-1a',
  }));
  return { vpcId: 'vpc-1', apiHost: '127.0.0.1', apiPort: 6443, bastionHost: '1.2.3.4', machines };
}

describe('nodes of a cluster', () => {
  it('asks for one machine group per pool and one for the control plane', () => {
    expect(machineGroups(aCluster().spec).map(({ name, role, replicas }) => [name, role, replicas])).toEqual([
      ['control-plane', 'control-plane', 3],
      ['workers', 'worker', 2],
    ]);
  });

  it('names nodes by cluster, group and index, so that scaling down takes the highest ones', () => {
    const four = aCluster({ nodePools: [{ name: 'workers', replicas: 4 }] });
    const removed = desiredNodeNames(four).filter((name) => !desiredNodeNames(aCluster()).includes(name));

    expect(removed).toEqual(['demo-workers-2', 'demo-workers-3']);
  });

  it('leaves out machines that the spec no longer asks for', () => {
    const names = clusterNodes(aCluster(), outputs('demo-control-plane-0', 'demo-workers-1', 'demo-workers-2')).map(
      (node) => node.name,
    );

    expect(names).toEqual(['demo-control-plane-0', 'demo-workers-1']);
  });

  it('puts the labels and taints of the pool on its nodes', () => {
    const taints = [{ key: 'gpu', effect: 'NoSchedule' as const }];
    const cluster = aCluster({ nodePools: [{ name: 'workers', labels: { tier: 'fast' }, taints }] });

    expect(clusterNodes(cluster, outputs('demo-workers-0'))[0]).toMatchObject({ labels: { tier: 'fast' }, taints });
  });
});
