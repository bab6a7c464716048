import type { OwnedResource } from '@crate/infra-aws';
import { textOf, type AwsClient } from './aws-client.js';
import { listAll } from './ec2-details.js';
import { loadBalancingThere } from './load-balancing.js';

/** Types of EC2 of which nothing else is asked that would tell that they are gone. */
const TOLD_BY_TAGS: ReadonlySet<string> = new Set([
  'aws_eip',
  'aws_internet_gateway',
  'aws_route_table',
  'aws_security_group',
  'aws_subnet',
  'aws_vpc',
  'aws_vpc_security_group_rule',
]);

/**
 * Those of the resources that are still there. The tagging API says of itself that it gives what is tagged "or previously tagged": what was
 * deleted stays listed for hours at times, above all of load balancers. The services themselves know.
 *
 * Source: https://docs.aws.amazon.com/resourcegroupstagging/latest/APIReference/API_GetResources.html
 */
export async function stillThere(
  client: AwsClient,
  region: string,
  { tag: [key, value], listed }: { readonly tag: readonly [string, string]; readonly listed: readonly OwnedResource[] },
): Promise<readonly OwnedResource[]> {
  const filter = { 'Filter.1.Name': `tag:${key}`, 'Filter.1.Value.1': value };
  const tags = listed.some(({ type }) => TOLD_BY_TAGS.has(type))
    ? await listAll(client, region, { action: 'DescribeTags', set: 'tagSet', filter })
    : [];
  const known = new Set(tags.map((one) => textOf(one, 'resourceId')));
  const isBalancing = await loadBalancingThere(client, region, listed);
  return listed.filter((one) => (TOLD_BY_TAGS.has(one.type) ? known.has(one.id) : (isBalancing(one) ?? true)));
}
