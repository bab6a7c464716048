import { cidrsOverlap } from '@crate/api';
import { REGIONAL_TAGGED } from '../attributes.js';
import { AwsError } from '../aws-error.js';
import { arn, newId } from '../identifiers.js';
import { isWithin } from '../network-addresses.js';
import { zonesOf } from '../regions.js';
import type { CloudContext, ResourceType } from '../resource-type.js';
import { fill, text } from '../values.js';
import { chosen, computed, defaulted, optional, required } from '../../terraform/schema.js';
import type { Values } from '../../terraform/value.js';

export const VPC: ResourceType = {
  name: 'aws_vpc',
  service: 'EC2',
  label: 'EC2 VPC',
  operations: { create: 'CreateVpc', read: 'DescribeVpcs', update: 'ModifyVpcAttribute', delete: 'DeleteVpc' },
  block: {
    attributes: {
      ...REGIONAL_TAGGED,
      cidr_block: chosen('string', { forceNew: true }),
      default_network_acl_id: computed('string'),
      default_route_table_id: computed('string'),
      default_security_group_id: computed('string'),
      dhcp_options_id: computed('string'),
      enable_dns_hostnames: defaulted('bool', false),
      enable_dns_support: defaulted('bool', true),
      instance_tenancy: defaulted('string', 'default'),
      main_route_table_id: computed('string'),
      owner_id: computed('string'),
    },
  },
  create: (values, context) => {
    const id = newId('vpc');
    const mainTable = newId('rtb');
    return fill(values, {
      id,
      arn: arn('ec2', context, `vpc/${id}`),
      default_network_acl_id: newId('acl'),
      default_route_table_id: mainTable,
      default_security_group_id: newId('sg'),
      dhcp_options_id: newId('dopt'),
      main_route_table_id: mainTable,
      owner_id: context.account,
    });
  },
  missing: (id) => new AwsError('InvalidVpcID.NotFound', `The vpc ID '${id}' does not exist`),
  inUse: (id) => new AwsError('DependencyViolation', `The vpc '${id}' has dependencies and cannot be deleted.`),
  limit: () => new AwsError('VpcLimitExceeded', 'The maximum number of VPCs has been reached.'),
};

export const SUBNET: ResourceType = {
  name: 'aws_subnet',
  service: 'EC2',
  label: 'EC2 Subnet',
  operations: {
    create: 'CreateSubnet',
    read: 'DescribeSubnets',
    update: 'ModifySubnetAttribute',
    delete: 'DeleteSubnet',
  },
  block: {
    attributes: {
      ...REGIONAL_TAGGED,
      availability_zone: chosen('string', { forceNew: true }),
      availability_zone_id: chosen('string', { forceNew: true }),
      cidr_block: optional('string', { forceNew: true }),
      map_public_ip_on_launch: defaulted('bool', false),
      owner_id: computed('string'),
      vpc_id: required('string', { forceNew: true }),
    },
  },
  references: [{ attribute: 'vpc_id', type: 'aws_vpc', onDelete: 'refuse' }],
  create: (values, context) => {
    checkBlock(values, context);
    const zones = zonesOf(context.region);
    const asked = text(values, 'availability_zone');
    const zone = zones.find(({ name }) => name === asked) ?? zones[0];
    if (!zone || (asked && asked !== zone.name)) throw noZone(asked, zones);
    const id = newId('subnet');
    return fill(values, {
      id,
      arn: arn('ec2', context, `subnet/${id}`),
      availability_zone: zone.name,
      availability_zone_id: zone.id,
      owner_id: context.account,
    });
  },
  missing: (id) => new AwsError('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`),
  inUse: (id) => new AwsError('DependencyViolation', `The subnet '${id}' has dependencies and cannot be deleted.`),
  limit: () =>
    new AwsError('SubnetLimitExceeded', 'You have reached the maximum number of subnets that you can create.'),
};

export const INTERNET_GATEWAY: ResourceType = {
  name: 'aws_internet_gateway',
  service: 'EC2',
  label: 'EC2 Internet Gateway',
  operations: {
    create: 'CreateInternetGateway',
    read: 'DescribeInternetGateways',
    update: 'AttachInternetGateway',
    delete: 'DeleteInternetGateway',
  },
  block: {
    attributes: { ...REGIONAL_TAGGED, owner_id: computed('string'), vpc_id: chosen('string') },
  },
  references: [{ attribute: 'vpc_id', type: 'aws_vpc', onDelete: 'refuse' }],
  create: (values, context) => {
    const vpcId = text(values, 'vpc_id');
    for (const { attributes } of context.list('aws_internet_gateway')) {
      if (!vpcId || text(attributes, 'vpc_id') !== vpcId) continue;
      throw new AwsError('InvalidParameterValue', `Network ${vpcId} already has an internet gateway attached`);
    }
    const id = newId('igw');
    return fill(values, { id, arn: arn('ec2', context, `internet-gateway/${id}`), owner_id: context.account });
  },
  checkRemoval: ({ attributes }, context) => {
    const vpcId = text(attributes, 'vpc_id');
    if (!hasMappedAddress(vpcId, context)) return;
    throw new AwsError(
      'DependencyViolation',
      `Network ${vpcId} has some mapped public address(es). Please unmap those public address(es) before detaching the gateway.`,
    );
  },
  missing: (id) => new AwsError('InvalidInternetGatewayID.NotFound', `The internetGateway ID '${id}' does not exist`),
  inUse: (id) =>
    new AwsError('DependencyViolation', `The internetGateway '${id}' has dependencies and cannot be deleted.`),
  limit: () =>
    new AwsError('InternetGatewayLimitExceeded', 'The maximum number of internet gateways has been reached.'),
};

function checkBlock(values: Values, context: CloudContext): void {
  const block = text(values, 'cidr_block');
  const vpcId = text(values, 'vpc_id');
  const vpc = context.find('aws_vpc', vpcId);
  if (vpc && !isWithin(block, text(vpc.attributes, 'cidr_block'))) {
    throw new AwsError('InvalidSubnet.Range', `The CIDR '${block}' is invalid.`);
  }
  for (const { attributes } of context.list('aws_subnet')) {
    if (text(attributes, 'vpc_id') !== vpcId || !cidrsOverlap(text(attributes, 'cidr_block'), block)) continue;
    throw new AwsError('InvalidSubnet.Conflict', `The CIDR '${block}' conflicts with another subnet`);
  }
}

/** Whatever in the VPC can be reached from outside holds on to the gateway. */
function hasMappedAddress(vpcId: string, context: CloudContext): boolean {
  const subnets = new Set<string>();
  for (const { id, attributes } of context.list('aws_subnet')) {
    if (text(attributes, 'vpc_id') === vpcId) subnets.add(id);
  }
  for (const type of ['aws_nat_gateway', 'aws_instance']) {
    for (const { attributes } of context.list(type)) {
      if (text(attributes, 'public_ip') && subnets.has(text(attributes, 'subnet_id'))) return true;
    }
  }
  for (const { attributes } of context.list('aws_lb')) {
    if (attributes['internal'] !== true && text(attributes, 'vpc_id') === vpcId) return true;
  }
  return false;
}

function noZone(asked: string, zones: readonly { name: string }[]): AwsError {
  const valid = zones.map(({ name }) => name).join(', ');
  return new AwsError(
    'InvalidParameterValue',
    `Value (${asked}) for parameter availabilityZone is invalid. Subnets can currently only be created in the following availability zones: ${valid}.`,
  );
}
