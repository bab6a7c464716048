import type { InfrastructureSpec } from '@crate/api';
import type { TerraformFailure, TerraformFailureCode } from '@crate/terraform';

/** Fields for failures of a resource type, in the Cluster document, which is what people write. */
const FIELD_OF_TYPE: Readonly<Record<string, string>> = {
  aws_eip: 'spec.network.availabilityZones',
  aws_nat_gateway: 'spec.network.availabilityZones',
  aws_subnet: 'spec.network.vpcCidr',
};

/** Fields for failures of the whole account, whatever was asked for. */
const FIELD_OF_CODE: Partial<Record<TerraformFailureCode, string>> = {
  CredentialsRejected: 'spec.accountRef.name',
  AccountBlocked: 'spec.accountRef.name',
  DiskKeyUnusable: 'spec.accountRef.name',
  AccountPending: 'spec.region',
  NotSubscribed: 'spec.region',
};

/**
 * The input of the Cluster that a failure comes from, as a JSON path. Undefined when no single input is to blame.
 * Machine groups are the control plane followed by the node pools, as lifecycle states them.
 */
export function failureField(failure: TerraformFailure, spec: InfrastructureSpec): string | undefined {
  const { code, address } = failure;
  const [type = '', name = ''] = address?.split('.') ?? [];
  // In whatever region it asks.
  if (code === 'NotSubscribed' && type === 'aws_lb') return 'spec.accountRef.name';
  const ofAccount = FIELD_OF_CODE[code];
  if (ofAccount !== undefined) return ofAccount;
  if (type === 'aws_instance') return machineField(failure, name, spec);
  return networkField(failure, type) ?? FIELD_OF_TYPE[type] ?? regionField(code);
}

function networkField({ code, message }: TerraformFailure, type: string): string | undefined {
  if (type === 'aws_vpc') return code === 'InvalidInput' ? 'spec.network.vpcCidr' : 'spec.region';
  // One for each network that people come from, and port.
  if (type === 'aws_vpc_security_group_ingress_rule' && code === 'QuotaExceeded')
    return 'spec.network.loadBalancerPorts';
  if (type === 'aws_subnet' && message.includes('availabilityZone')) return 'spec.network.availabilityZones';
  return undefined;
}

/** Quotas and capacity are those of a region. */
function regionField(code: TerraformFailureCode): string | undefined {
  return code === 'QuotaExceeded' || code === 'CapacityUnavailable' ? 'spec.region' : undefined;
}

function machineField({ code, message }: TerraformFailure, name: string, spec: InfrastructureSpec): string | undefined {
  const group = groupOf(name, spec);
  // The bastion is nobody's input; what it lacks, the region lacks.
  if (group === undefined) return regionField(code);
  if (code === 'QuotaExceeded') return `${group}.replicas`;
  if (code === 'CapacityUnavailable') return `${group}.machineType`;
  if (code === 'DiskBusy') return `${group}.diskGiB`;
  if (code !== 'InvalidInput') return undefined;
  return /volume|size|disk/i.test(message) ? `${group}.diskGiB` : `${group}.machineType`;
}

function groupOf(name: string, { clusterName, machineGroups }: InfrastructureSpec): string | undefined {
  const machine = name.replace(/^_/, '');
  const found = machineGroups.find((group) => {
    const prefix = `${clusterName}-${group.name}-`;
    return machine.startsWith(prefix) && /^\d+$/.test(machine.slice(prefix.length));
  });
  if (!found) return undefined;
  if (found.role === 'control-plane') return 'spec.controlPlane';
  const pools = machineGroups.filter(({ role }) => role === 'worker');
  return `spec.nodePools[${pools.indexOf(found)}]`;
}
