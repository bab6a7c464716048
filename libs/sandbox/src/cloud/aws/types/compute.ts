import { createHash } from 'node:crypto';
import { architectureOf } from '@crate/api';
import { REGIONAL_TAGGED } from '../attributes.js';
import { AwsError } from '../aws-error.js';
import { arn, newId } from '../identifiers.js';
import { sizeOf } from '../machine-types.js';
import { nextPrivateAddress } from '../network-addresses.js';
import type { CloudContext, ResourceType } from '../resource-type.js';
import { fill, number, objects, text } from '../values.js';
import { chosen, computed, defaulted, optional, required, type Block } from '../../terraform/schema.js';
import type { Value, Values } from '../../terraform/value.js';
import { releaseAddressesOf } from './public-addresses.js';

const SMALLEST_DISK_GIB = 8;

const ROOT_BLOCK_DEVICE: Block = {
  attributes: {
    delete_on_termination: defaulted('bool', true),
    device_name: computed('string'),
    encrypted: chosen('bool', { forceNew: true }),
    iops: chosen('number'),
    kms_key_id: chosen('string', { forceNew: true }),
    tags: optional(['map', 'string']),
    tags_all: chosen(['map', 'string']),
    throughput: chosen('number'),
    volume_id: computed('string'),
    volume_size: chosen('number'),
    volume_type: chosen('string'),
  },
};

const METADATA_OPTIONS: Block = {
  attributes: {
    http_endpoint: chosen('string'),
    http_protocol_ipv6: chosen('string'),
    http_put_response_hop_limit: chosen('number'),
    http_tokens: chosen('string'),
    instance_metadata_tags: chosen('string'),
  },
};

export const INSTANCE: ResourceType = {
  name: 'aws_instance',
  service: 'EC2',
  label: 'EC2 Instance',
  operations: {
    create: 'RunInstances',
    read: 'DescribeInstances',
    update: 'ModifyInstanceAttribute',
    delete: 'TerminateInstances',
  },
  block: {
    attributes: {
      ...REGIONAL_TAGGED,
      ami: chosen('string', { forceNew: true }),
      associate_public_ip_address: chosen('bool', { forceNew: true }),
      availability_zone: chosen('string', { forceNew: true }),
      iam_instance_profile: chosen('string'),
      instance_state: computed('string'),
      instance_type: chosen('string'),
      key_name: chosen('string', { forceNew: true }),
      monitoring: chosen('bool'),
      primary_network_interface_id: computed('string'),
      private_dns: computed('string'),
      private_ip: chosen('string', { forceNew: true }),
      public_dns: computed('string'),
      public_ip: computed('string'),
      source_dest_check: defaulted('bool', true),
      subnet_id: chosen('string', { forceNew: true }),
      tenancy: chosen('string', { forceNew: true }),
      user_data: chosen('string'),
      vpc_security_group_ids: chosen(['set', 'string']),
    },
    blocks: {
      metadata_options: { nesting: 'list', maxItems: 1, block: METADATA_OPTIONS },
      root_block_device: { nesting: 'list', maxItems: 1, block: ROOT_BLOCK_DEVICE },
    },
  },
  references: [
    { attribute: 'subnet_id', type: 'aws_subnet', onDelete: 'refuse' },
    { attribute: 'vpc_security_group_ids', type: 'aws_security_group', onDelete: 'refuse' },
    { attribute: 'key_name', type: 'aws_key_pair', onDelete: 'ignore' },
    {
      attribute: 'iam_instance_profile',
      type: 'aws_iam_instance_profile',
      onDelete: 'ignore',
      missing: (name) =>
        new AwsError(
          'InvalidParameterValue',
          `Value (${name}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name`,
        ),
    },
  ],
  create: (values, context) => {
    checkMachineType(values);
    const subnet = context.find('aws_subnet', values['subnet_id']);
    const keyPair = context.find('aws_key_pair', values['key_name']);
    const id = newId('i');
    const privateAddress = nextPrivateAddress(text(values, 'subnet_id'), context);
    const started = fill(values, {
      id,
      arn: arn('ec2', context, `instance/${id}`),
      associate_public_ip_address: false,
      availability_zone: subnet ? text(subnet.attributes, 'availability_zone') : '',
      iam_instance_profile: '',
      instance_state: 'running',
      monitoring: false,
      primary_network_interface_id: newId('eni'),
      private_dns: privateName(privateAddress, context.region),
      private_ip: privateAddress,
      public_dns: '',
      public_ip: '',
      tenancy: 'default',
      vpc_security_group_ids: [],
    });
    // Not an attribute of Terraform's: the machine keeps the key it was started with, whatever becomes of the pair.
    const authorizedKey = keyPair ? text(keyPair.attributes, 'public_key') : '';
    return { ...started, ...blocksOf(started, context), authorized_key: authorizedKey };
  },
  // Since its version 5.43, https://github.com/hashicorp/terraform-provider-aws/pull/36590
  replacing: (planned, prior) => {
    const [now, was] = [planned, prior].map((values) => architectureOf(text(values, 'instance_type')));
    return now === was ? [] : ['instance_type'];
  },
  update: (values, _context, before) => {
    checkMachineType(values);
    checkDisk(values, before);
    return values;
  },
  removed: ({ id }, context) => releaseAddressesOf(id, context),
  missing: (id) => new AwsError('InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`),
  limit: (limit) =>
    new AwsError(
      'InstanceLimitExceeded',
      `You have requested more instances (${limit + 1}) than your current instance limit of ${limit} allows for the specified instance type. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.`,
    ),
};

export const KEY_PAIR: ResourceType = {
  name: 'aws_key_pair',
  service: 'EC2',
  label: 'EC2 Key Pair',
  operations: { create: 'ImportKeyPair', read: 'DescribeKeyPairs', update: 'CreateTags', delete: 'DeleteKeyPair' },
  block: {
    attributes: {
      ...REGIONAL_TAGGED,
      fingerprint: computed('string'),
      key_name: chosen('string', { forceNew: true }),
      key_pair_id: computed('string'),
      key_type: computed('string'),
      public_key: required('string', { forceNew: true }),
    },
  },
  nameOf: (values) => text(values, 'key_name'),
  create: (values, context) => {
    const name = text(values, 'key_name') || newId('terraform');
    if (context.find('aws_key_pair', name)) {
      throw new AwsError('InvalidKeyPair.Duplicate', `The keypair already exists`);
    }
    const [algorithm = '', body = ''] = text(values, 'public_key').split(' ');
    if (!['ssh-ed25519', 'ssh-rsa'].includes(algorithm)) {
      throw new AwsError('InvalidKey.Format', 'Key is not in valid OpenSSH public key format');
    }
    return fill(values, {
      id: name,
      arn: arn('ec2', context, `key-pair/${name}`),
      fingerprint: createHash('sha256').update(Buffer.from(body, 'base64')).digest('base64'),
      key_name: name,
      key_pair_id: newId('key'),
      key_type: algorithm.slice('ssh-'.length),
    });
  },
  missing: (id) => new AwsError('InvalidKeyPair.NotFound', `The key pair '${id}' does not exist`),
  limit: () => new AwsError('KeyPairLimitExceeded', 'The maximum number of key pairs has been reached.'),
};

function checkMachineType(values: Values): void {
  const machineType = text(values, 'instance_type');
  if (sizeOf(machineType)) return;
  throw new AwsError('InvalidParameterValue', `Invalid value '${machineType}' for InstanceType.`);
}

/** Answers as ModifyVolume does. */
function checkDisk(values: Values, before: Values): void {
  const sizeIn = (one: Values): number => number(objects(one, 'root_block_device')[0] ?? {}, 'volume_size') ?? 0;
  if (sizeIn(values) >= sizeIn(before)) return;
  throw new AwsError('InvalidParameterValue', 'New size cannot be smaller than existing size');
}

/** The blocks as AWS fills them; a machine has each exactly once. */
function blocksOf(values: Values, context: CloudContext): Values {
  const [disk = {}] = objects(values, 'root_block_device');
  const [metadata = {}] = objects(values, 'metadata_options');
  return { root_block_device: [diskOf(disk, context)], metadata_options: [metadataOf(metadata)] };
}

function diskOf(disk: Values, context: CloudContext): Value {
  const isEncrypted = disk['encrypted'] === true;
  const key = arn('kms', context, 'key/00000000-0000-0000-0000-000000000000');
  return fill(disk, {
    delete_on_termination: true,
    device_name: '/dev/sda1',
    encrypted: false,
    iops: 3000,
    kms_key_id: isEncrypted ? key : '',
    tags_all: disk['tags'] ?? {},
    throughput: 125,
    volume_id: newId('vol'),
    volume_size: SMALLEST_DISK_GIB,
    volume_type: 'gp2',
  });
}

function metadataOf(metadata: Values): Value {
  return fill(metadata, {
    http_endpoint: 'enabled',
    http_protocol_ipv6: 'disabled',
    http_put_response_hop_limit: 1,
    http_tokens: 'optional',
    instance_metadata_tags: 'disabled',
  });
}

function privateName(address: string, region: string): string {
  const domain = region === 'us-east-1' ? 'ec2' : `${region}.compute`;
  return `ip-${address.replaceAll('.', '-')}.${domain}.internal`;
}
