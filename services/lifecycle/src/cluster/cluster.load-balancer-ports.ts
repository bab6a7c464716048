import type { Cluster } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import { cause } from './cluster.cause.js';

type Ports = ReadonlyMap<number, number>;

/**
 * What is wrong with where the ports of the load balancer lead now. Each has a rule at the cloud, which changes in place and which the cloud
 * refuses while another is the same: of ports that exchange their node ports each would wait for another for ever.
 */
export function loadBalancerPortCauses(cluster: Cluster, old: Cluster | undefined): ErrorCause[] {
  const [now, before] = [nodePorts(cluster), nodePorts(old)];
  return [...now.keys()].flatMap((port, index) => {
    if (!isInRing(port, now, before)) return [];
    const [nodePort, holder] = [now.get(port), holderBefore(now.get(port), before)];
    const message = `leads from port ${holder} until now, and ports cannot exchange their node ports in one change: give one of them another node port first, and wait until the cluster is Ready`;
    return [cause(`spec.network.loadBalancerPorts[${index}].nodePort`, nodePort, message)];
  });
}

/** What to tell of ports that lead nowhere: the control plane carries the workloads of a cluster without a worker, and they do not lead there. */
export function loadBalancerPortWarnings({ spec: { network, nodePools } }: Cluster): string[] {
  const ports = network?.loadBalancerPorts ?? [];
  if (ports.length === 0 || nodePools.some(({ replicas }) => replicas > 0)) return [];
  return [
    'spec.network.loadBalancerPorts: lead to workers alone, and the cluster has none: nobody comes in until a pool has a machine',
  ];
}

/** By port of the load balancer. */
function nodePorts(cluster: Cluster | undefined): Ports {
  const ports = cluster?.spec.network?.loadBalancerPorts ?? [];
  return new Map(ports.map(({ port, nodePort }) => [port, nodePort]));
}

function holderBefore(nodePort: number | undefined, before: Ports): number | undefined {
  return [...before].find(([, each]) => each === nodePort)?.[0];
}

/** Whether it waits, from one holder to the next, for itself. */
function isInRing(port: number, now: Ports, before: Ports): boolean {
  let at = holderBefore(now.get(port), before);
  for (let steps = 0; at !== undefined && at !== port && steps < before.size; steps++) {
    at = holderBefore(now.get(at), before);
  }
  return at === port && now.get(port) !== before.get(port);
}
