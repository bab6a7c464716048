import type { OwnedResource } from '@crate/infra-aws';
import { members, textOf, type AwsClient, type XmlElement } from './aws-client.js';
import { listAll } from './ec2-details.js';

/** What AWS refuses to delete a network for, and how each is asked for. */
const RESIDENTS = [
  {
    type: 'aws_network_interface',
    action: 'DescribeNetworkInterfaces',
    set: 'networkInterfaceSet',
    id: 'networkInterfaceId',
  },
  { type: 'aws_security_group', action: 'DescribeSecurityGroups', set: 'securityGroupInfo', id: 'groupId' },
  { type: 'aws_subnet', action: 'DescribeSubnets', set: 'subnetSet', id: 'subnetId' },
  { type: 'aws_vpc_endpoint', action: 'DescribeVpcEndpoints', set: 'vpcEndpointSet', id: 'vpcEndpointId' },
] as const;

/** Goes with the network. */
const DEFAULT_GROUP = 'default';

/**
 * What is in a network and keeps it from being deleted, with its own tags.
 * Source: https://docs.aws.amazon.com/vpc/latest/userguide/delete-vpc.html
 */
export async function networkResidents(
  client: AwsClient,
  region: string,
  vpcId: string,
): Promise<readonly OwnedResource[]> {
  const filter = { 'Filter.1.Name': 'vpc-id', 'Filter.1.Value.1': vpcId };
  const found: OwnedResource[] = [];
  for (const { type, action, set, id } of RESIDENTS) {
    const elements = await listAll(client, region, { action, set, filter });
    const residents = elements.filter(
      (one) => type !== 'aws_security_group' || textOf(one, 'groupName') !== DEFAULT_GROUP,
    );
    found.push(
      ...residents.map((one) => ({ type, id: textOf(one, id), importId: textOf(one, id), tags: tagsOf(one) })),
    );
  }
  return found;
}

function tagsOf(one: XmlElement): Record<string, string> {
  return Object.fromEntries(members(one, 'tagSet').map((tag) => [textOf(tag, 'key'), textOf(tag, 'value')]));
}
