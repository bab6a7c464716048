import { createHash } from 'node:crypto';
import { REGIONAL, REGIONAL_TAGGED } from '../attributes.js';
import { AwsError } from '../aws-error.js';
import { arn, newId } from '../identifiers.js';
import type { ResourceType } from '../resource-type.js';
import { fill, text } from '../values.js';
import { chosen, computed, optional, required } from '../../terraform/schema.js';

export const ROUTE_TABLE: ResourceType = {
  name: 'aws_route_table',
  service: 'EC2',
  label: 'EC2 Route Table',
  operations: {
    create: 'CreateRouteTable',
    read: 'DescribeRouteTables',
    update: 'ModifyRouteTable',
    delete: 'DeleteRouteTable',
  },
  block: {
    attributes: {
      ...REGIONAL_TAGGED,
      owner_id: computed('string'),
      vpc_id: required('string', { forceNew: true }),
    },
  },
  references: [{ attribute: 'vpc_id', type: 'aws_vpc', onDelete: 'refuse' }],
  create: (values, context) => {
    const id = newId('rtb');
    return fill(values, { id, arn: arn('ec2', context, `route-table/${id}`), owner_id: context.account });
  },
  missing: (id) => new AwsError('InvalidRouteTableID.NotFound', `The routeTable ID '${id}' does not exist`),
  inUse: (id) => new AwsError('DependencyViolation', `The routeTable '${id}' has dependencies and cannot be deleted.`),
  limit: () => new AwsError('RouteTableLimitExceeded', 'The maximum number of route tables has been reached.'),
};

export const ROUTE: ResourceType = {
  name: 'aws_route',
  service: 'EC2',
  label: 'Route',
  operations: {
    create: 'CreateRoute',
    read: 'DescribeRouteTables',
    update: 'ReplaceRoute',
    delete: 'DeleteRoute',
  },
  block: {
    attributes: {
      ...REGIONAL,
      destination_cidr_block: optional('string', { forceNew: true }),
      gateway_id: optional('string'),
      instance_id: computed('string'),
      nat_gateway_id: optional('string'),
      network_interface_id: chosen('string'),
      origin: computed('string'),
      route_table_id: required('string', { forceNew: true }),
      state: computed('string'),
    },
  },
  references: [
    { attribute: 'route_table_id', type: 'aws_route_table', onDelete: 'cascade' },
    { attribute: 'gateway_id', type: 'aws_internet_gateway', onDelete: 'ignore' },
    { attribute: 'nat_gateway_id', type: 'aws_nat_gateway', onDelete: 'ignore' },
  ],
  nameOf: (values) => text(values, 'destination_cidr_block'),
  create: (values, context) => {
    const table = text(values, 'route_table_id');
    const destination = text(values, 'destination_cidr_block');
    const id = routeId(table, destination);
    if (context.find('aws_route', id)) {
      throw new AwsError('RouteAlreadyExists', `The route identified by ${destination} already exists.`);
    }
    return fill(values, { id, origin: 'CreateRoute', state: 'active', instance_id: '', network_interface_id: '' });
  },
  importId: (attributes) => `${text(attributes, 'route_table_id')}_${text(attributes, 'destination_cidr_block')}`,
  missing: (id) => new AwsError('InvalidRoute.NotFound', `no route with id ${id}`),
};

export const ROUTE_TABLE_ASSOCIATION: ResourceType = {
  name: 'aws_route_table_association',
  service: 'EC2',
  label: 'Route Table Association',
  operations: {
    create: 'AssociateRouteTable',
    read: 'DescribeRouteTables',
    update: 'ReplaceRouteTableAssociation',
    delete: 'DisassociateRouteTable',
  },
  block: {
    attributes: {
      ...REGIONAL,
      route_table_id: required('string'),
      subnet_id: optional('string', { forceNew: true }),
    },
  },
  references: [
    { attribute: 'route_table_id', type: 'aws_route_table', onDelete: 'refuse' },
    { attribute: 'subnet_id', type: 'aws_subnet', onDelete: 'cascade' },
  ],
  create: (values, context) => {
    const table = text(values, 'route_table_id');
    const subnet = text(values, 'subnet_id');
    for (const { attributes } of context.list('aws_route_table_association')) {
      if (text(attributes, 'subnet_id') !== subnet) continue;
      throw new AwsError(
        'Resource.AlreadyAssociated',
        `the specified association for route table ${table} conflicts with an existing association`,
      );
    }
    return fill(values, { id: newId('rtbassoc') });
  },
  importId: (attributes) => `${text(attributes, 'subnet_id')}/${text(attributes, 'route_table_id')}`,
  missing: (id) => new AwsError('InvalidAssociationID.NotFound', `The association ID '${id}' does not exist`),
};

/** The provider's own id: AWS gives routes none. */
function routeId(table: string, destination: string): string {
  return `r-${table}${createHash('sha256').update(destination).digest().readUInt32BE()}`;
}
