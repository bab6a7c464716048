import { REGIONAL, REGIONAL_TAGGED, TAGS } from '../attributes.js';
import { AwsError } from '../aws-error.js';
import { arn, newId } from '../identifiers.js';
import { nextPrivateAddress } from '../network-addresses.js';
import type { CloudContext, ResourceType } from '../resource-type.js';
import { fill, text } from '../values.js';
import { chosen, computed, defaulted, optional, required } from '../../terraform/schema.js';
import type { Values } from '../../terraform/value.js';

const UNASSOCIATED = { instance: '', network_interface: '', private_ip: '', private_dns: '', association_id: '' };

export const ELASTIC_IP: ResourceType = {
  name: 'aws_eip',
  service: 'EC2',
  label: 'EC2 EIP',
  operations: {
    create: 'AllocateAddress',
    read: 'DescribeAddresses',
    update: 'AssociateAddress',
    delete: 'ReleaseAddress',
  },
  block: {
    attributes: {
      ...REGIONAL_TAGGED,
      allocation_id: computed('string'),
      association_id: computed('string'),
      domain: chosen('string', { forceNew: true }),
      instance: chosen('string'),
      network_border_group: chosen('string', { forceNew: true }),
      network_interface: chosen('string'),
      private_dns: computed('string'),
      private_ip: computed('string'),
      public_dns: computed('string'),
      public_ip: computed('string'),
      public_ipv4_pool: chosen('string', { forceNew: true }),
    },
  },
  references: [{ attribute: 'instance', type: 'aws_instance', onDelete: 'ignore' }],
  recomputed: { instance: ['association_id', 'network_interface', 'private_dns', 'private_ip'] },
  create: (values, context) => {
    const id = newId('eipalloc');
    const address = context.nextPublicAddress();
    const released: Values = { ...values, id, allocation_id: id, public_ip: address };
    return fill(associate(released, context), {
      arn: arn('ec2', context, `elastic-ip/${id}`),
      domain: 'vpc',
      network_border_group: context.region,
      public_dns: publicName(address, context.region),
      public_ipv4_pool: 'amazon',
    });
  },
  update: (values, context) => {
    release(text(values, 'id'), context);
    return associate(values, context);
  },
  removed: ({ attributes }, context) => setPublicAddress(text(attributes, 'instance'), '', context),
  missing: (id) => new AwsError('InvalidAllocationID.NotFound', `The allocation ID '${id}' does not exist`),
  inUse: (id) => new AwsError('InvalidIPAddress.InUse', `The address with allocation id [${id}] is in use.`),
  limit: () => new AwsError('AddressLimitExceeded', 'The maximum number of addresses has been reached.'),
};

export const NAT_GATEWAY: ResourceType = {
  name: 'aws_nat_gateway',
  service: 'EC2',
  label: 'EC2 NAT Gateway',
  operations: {
    create: 'CreateNatGateway',
    read: 'DescribeNatGateways',
    update: 'CreateTags',
    delete: 'DeleteNatGateway',
  },
  block: {
    attributes: {
      ...REGIONAL,
      ...TAGS,
      allocation_id: optional('string', { forceNew: true }),
      association_id: computed('string'),
      connectivity_type: defaulted('string', 'public', { forceNew: true }),
      network_interface_id: computed('string'),
      private_ip: chosen('string', { forceNew: true }),
      public_ip: computed('string'),
      subnet_id: required('string', { forceNew: true }),
    },
  },
  references: [
    { attribute: 'allocation_id', type: 'aws_eip', onDelete: 'refuse' },
    { attribute: 'subnet_id', type: 'aws_subnet', onDelete: 'refuse' },
  ],
  create: (values, context) => {
    const address = context.find('aws_eip', values['allocation_id']);
    return fill(values, {
      id: newId('nat'),
      association_id: newId('eipassoc'),
      network_interface_id: newId('eni'),
      private_ip: nextPrivateAddress(text(values, 'subnet_id'), context),
      public_ip: address ? text(address.attributes, 'public_ip') : '',
    });
  },
  missing: (id) => new AwsError('NatGatewayNotFound', `The Nat Gateway ${id} was not found`),
  inUse: (id) => new AwsError('DependencyViolation', `The Nat Gateway ${id} has dependencies and cannot be deleted.`),
  limit: (limit) =>
    new AwsError(
      'NatGatewayLimitExceeded',
      `Performing this operation would exceed the limit of ${limit} NAT gateways`,
    ),
};

/** Drops the association of every address with this machine: it is gone. */
export function releaseAddressesOf(instanceId: string, context: CloudContext): void {
  for (const address of context.list('aws_eip')) {
    if (text(address.attributes, 'instance') === instanceId) context.change(address, UNASSOCIATED);
  }
}

function associate(values: Values, context: CloudContext): Values {
  const machine = context.find('aws_instance', values['instance']);
  if (!machine) return { ...values, ...UNASSOCIATED };
  setPublicAddress(machine.id, text(values, 'public_ip'), context);
  return {
    ...values,
    association_id: newId('eipassoc'),
    network_interface: text(machine.attributes, 'primary_network_interface_id'),
    private_ip: text(machine.attributes, 'private_ip'),
    private_dns: text(machine.attributes, 'private_dns'),
  };
}

function release(allocationId: string, context: CloudContext): void {
  const address = context.find('aws_eip', allocationId);
  if (address) setPublicAddress(text(address.attributes, 'instance'), '', context);
}

function setPublicAddress(instanceId: string, address: string, context: CloudContext): void {
  const machine = context.find('aws_instance', instanceId);
  if (!machine) return;
  context.change(machine, { public_ip: address, public_dns: address ? publicName(address, context.region) : '' });
}

function publicName(address: string, region: string): string {
  const domain = region === 'us-east-1' ? 'compute-1' : `${region}.compute`;
  return `ec2-${address.replaceAll('.', '-')}.${domain}.amazonaws.com`;
}
