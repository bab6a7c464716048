import type { CloudObject } from '../aws/resource-type.js';
import { text } from '../aws/values.js';
import type { Inventory } from '../inventory.js';

const CLUSTER_TAG = 'kubernetes.io/cluster/';

/** The machine that cloud controllers run on, and what they find out about their cluster from it. */
export interface ControllerHost {
  readonly machine: CloudObject;
  readonly vpcId: string;
  /** Tag by which they know what is their cluster's, as key. */
  readonly clusterTag: string;
}

/**
 * Undefined when the machine is gone, or carries no tag of a cluster: then the real controllers do not start.
 * Source: https://cloud-provider-aws.sigs.k8s.io/getting_started/ (tagging).
 */
export function controllerHost(inventory: Inventory, machineId: string): ControllerHost | undefined {
  for (const machine of inventory.everywhere('aws_instance')) {
    if (machine.id !== machineId) continue;
    const clusterTag = Object.keys(machine.tags).find((key) => key.startsWith(CLUSTER_TAG));
    const subnet = inventory.find(machine, 'aws_subnet', text(machine.attributes, 'subnet_id'));
    if (clusterTag === undefined || !subnet) return undefined;
    return { machine, clusterTag, vpcId: text(subnet.attributes, 'vpc_id') };
  }
  return undefined;
}
