import { randomInt } from 'node:crypto';
import { parseCidr } from '@crate/api';
import { AwsError } from './aws-error.js';
import type { CloudContext } from './resource-type.js';
import { text } from './values.js';

/** AWS keeps the first four addresses and the last one of each subnet. */
const RESERVED_AT_START = 4;
const RESERVED_AT_END = 1;

const HOLDERS = ['aws_instance', 'aws_nat_gateway'];

/** True when `inner` lies within `outer`. */
export function isWithin(inner: string, outer: string): boolean {
  const small = parseCidr(inner);
  const large = parseCidr(outer);
  if (!small || !large) return false;
  return small.first >= large.first && small.first + small.size <= large.first + large.size;
}

/** An address of the subnet that nobody has; throws AwsError when there is none. */
export function nextPrivateAddress(subnetId: string, context: CloudContext): string {
  const subnet = context.find('aws_subnet', subnetId);
  const block = parseCidr(subnet ? text(subnet.attributes, 'cidr_block') : '');
  if (!block) throw new AwsError('InvalidSubnetID.NotFound', `The subnet ID '${subnetId}' does not exist`);
  const taken = takenAddresses(subnetId, context);
  const hosts = block.size - RESERVED_AT_START - RESERVED_AT_END;
  const start = randomInt(hosts);
  for (let step = 0; step < hosts; step += 1) {
    const address = formatAddress(block.first + RESERVED_AT_START + ((start + step) % hosts));
    if (!taken.has(address)) return address;
  }
  throw new AwsError(
    'InsufficientFreeAddressesInSubnet',
    `There are not enough free addresses in subnet '${subnetId}' to satisfy the requested number of instances.`,
  );
}

/** Dotted form of an IPv4 address. */
export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

function takenAddresses(subnetId: string, context: CloudContext): Set<string> {
  const taken = new Set<string>();
  for (const type of HOLDERS) {
    for (const { attributes } of context.list(type)) {
      if (text(attributes, 'subnet_id') === subnetId) taken.add(text(attributes, 'private_ip'));
    }
  }
  return taken;
}
