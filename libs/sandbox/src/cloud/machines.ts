import type { Machines, SimulatedLoadBalancer, SimulatedMachine } from '../cluster/machines.js';
import type { CloudObject } from './aws/resource-type.js';
import { sizeOf } from './aws/machine-types.js';
import { number, objects, text } from './aws/values.js';
import type { Inventory } from './inventory.js';

/** Machines and load balancers of the simulated cloud, as simulated clusters see them. */
export class CloudMachines implements Machines {
  constructor(private readonly inventory: Inventory) {}

  find(id: string): SimulatedMachine | undefined {
    const found = this.instances().find((candidate) => candidate.id === id);
    return found && this.describe(found);
  }

  findByAddress(address: string, bastion?: string): SimulatedMachine | undefined {
    if (bastion === undefined) {
      const owner = this.instances().find(({ attributes }) => text(attributes, 'public_ip') === address);
      return owner && this.describe(owner);
    }
    const gate = this.instances().find(({ attributes }) => text(attributes, 'public_ip') === bastion);
    if (!gate) return undefined;
    const network = this.networkOf(gate);
    const found = this.instances().find(
      (candidate) =>
        candidate.account === gate.account &&
        text(candidate.attributes, 'private_ip') === address &&
        this.networkOf(candidate) === network,
    );
    return found && this.describe(found);
  }

  findLoadBalancer(machineId: string, port: number): SimulatedLoadBalancer | undefined {
    const attachment = [...this.inventory.everywhere('aws_lb_target_group_attachment')].find(
      ({ attributes }) => text(attributes, 'target_id') === machineId && number(attributes, 'port') === port,
    );
    if (!attachment) return undefined;
    const targets = text(attachment.attributes, 'target_group_arn');
    const listener = [...this.inventory.ofType(attachment, 'aws_lb_listener')].find(({ attributes }) =>
      objects(attributes, 'default_action').some((action) => text(action, 'target_group_arn') === targets),
    );
    return listener && this.describeBalancer(listener);
  }

  onChange(listener: () => void): () => void {
    return this.inventory.onChange(listener);
  }

  private instances(): CloudObject[] {
    return [...this.inventory.everywhere('aws_instance')];
  }

  private networkOf(instance: CloudObject): string {
    const subnet = this.inventory.find(instance, 'aws_subnet', text(instance.attributes, 'subnet_id'));
    return subnet ? text(subnet.attributes, 'vpc_id') : '';
  }

  private describe({ id, region, attributes }: CloudObject): SimulatedMachine {
    const publicAddress = text(attributes, 'public_ip');
    const authorizedKey = text(attributes, 'authorized_key');
    const machineType = text(attributes, 'instance_type');
    const size = sizeOf(machineType) ?? { cpus: 1, memoryMiB: 1024 };
    return {
      id,
      privateAddress: text(attributes, 'private_ip'),
      ...(publicAddress ? { publicAddress } : {}),
      isRunning: text(attributes, 'instance_state') === 'running',
      ...(authorizedKey ? { authorizedKey } : {}),
      machineType,
      ...size,
      region,
      zone: text(attributes, 'availability_zone'),
    };
  }

  private describeBalancer(listener: CloudObject): SimulatedLoadBalancer | undefined {
    const id = text(listener.attributes, 'load_balancer_arn');
    const balancer = this.inventory.find(listener, 'aws_lb', id);
    if (!balancer) return undefined;
    return { id, address: text(balancer.attributes, 'dns_name'), port: number(listener.attributes, 'port') ?? 0 };
  }
}
