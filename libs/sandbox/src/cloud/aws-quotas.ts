import { AwsError } from './aws/aws-error.js';
import { sizeOf } from './aws/machine-types.js';
import type { ResourceType, Scope } from './aws/resource-type.js';
import { text } from './aws/values.js';
import type { Faults } from './faults.js';
import type { Inventory } from './inventory.js';
import type { Values } from './terraform/value.js';

/** How much of everything an account may have, and a zone has left: as faults say, and without end where none does. */
export class AwsQuotas {
  constructor(
    private readonly inventory: Inventory,
    private readonly faults: Faults,
  ) {}

  /** Throws AwsError when there may not be one more. */
  check(scope: Scope, type: ResourceType, values: Values): void {
    const quota = this.faults.find('quota', scope, type.name);
    if (quota && type.limit && count(this.inventory.ofType(scope, type.name)) >= quota.limit) {
      this.faults.count(quota);
      throw type.limit(quota.limit);
    }
    if (type.name === 'aws_instance') this.checkMachineQuotas(scope, values);
  }

  private checkMachineQuotas(scope: Scope, values: Values): void {
    const machineType = text(values, 'instance_type');
    const zone = this.zoneOf(scope, values);
    const capacity = this.faults.find('capacity', scope);
    if (capacity && (capacity.machineType ?? machineType) === machineType && (capacity.zone ?? zone) === zone) {
      this.faults.count(capacity);
      throw noCapacity(machineType, zone);
    }
    const quota = this.faults.find('vcpu-quota', scope);
    if (!quota) return;
    const used = [...this.inventory.ofType(scope, 'aws_instance')].map(({ attributes }) => cpusOf(attributes));
    if (used.reduce((sum, cpus) => sum + cpus, cpusOf(values)) <= quota.limit) return;
    this.faults.count(quota);
    throw noProcessors(quota.limit);
  }

  private zoneOf(scope: Scope, values: Values): string {
    const subnet = this.inventory.find(scope, 'aws_subnet', text(values, 'subnet_id'));
    return subnet ? text(subnet.attributes, 'availability_zone') : '';
  }
}

function noCapacity(machineType: string, zone: string): AwsError {
  return new AwsError(
    'InsufficientInstanceCapacity',
    `We currently do not have sufficient ${machineType} capacity in the Availability Zone you requested (${zone}). Our system will be working on provisioning additional capacity. You can currently get ${machineType} capacity by not specifying an Availability Zone in your request.`,
    500,
  );
}

function noProcessors(limit: number): AwsError {
  return new AwsError(
    'VcpuLimitExceeded',
    `You have requested more vCPU capacity than your current vCPU limit of ${limit} allows for the instance bucket that the specified instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.`,
  );
}

function cpusOf(values: Values): number {
  return sizeOf(text(values, 'instance_type'))?.cpus ?? 0;
}

function count(items: Iterable<unknown>): number {
  return [...items].length;
}
