import type { OwnedResource } from '@crate/infra-aws';
import { element, members, textOf, type AwsClient } from './aws-client.js';
import { listAll } from './ec2-details.js';

const PAGE_SIZE = '400';

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

/** Balancers and their groups, by how they are listed. A listener goes with its balancer. */
const BALANCING: readonly List[] = [
  { version: '2015-12-01', action: 'DescribeLoadBalancers', set: 'LoadBalancers', id: 'LoadBalancerArn' },
  { version: '2015-12-01', action: 'DescribeTargetGroups', set: 'TargetGroups', id: 'TargetGroupArn' },
];
/** Balancers of the first generation, which the older API alone knows. */
const CLASSIC: readonly List[] = [
  {
    version: '2012-06-01',
    action: 'DescribeLoadBalancers',
    set: 'LoadBalancerDescriptions',
    id: 'LoadBalancerName',
  },
];

/** How a kind of load balancing is listed. */
interface List {
  /** Of the API. */
  readonly version: string;
  readonly action: string;
  readonly set: string;
  /** What tells one from another. */
  readonly id: string;
}

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
  const lists = [
    ...(listed.some(({ type }) => isOfBalancer(type)) ? BALANCING : []),
    ...(listed.some(({ type }) => type === 'aws_elb') ? CLASSIC : []),
  ];
  const balancing = await balancingIds(client, region, lists);
  return listed.filter(({ type, id }) => {
    if (TOLD_BY_TAGS.has(type)) return known.has(id);
    return !(isOfBalancer(type) || type === 'aws_elb') || balancing.has(balancerOf(id));
  });
}

async function balancingIds(client: AwsClient, region: string, lists: readonly List[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { version, action, set, id } of lists) {
    let marker = '';
    do {
      const next: Record<string, string> = marker === '' ? {} : { Marker: marker };
      const service = { name: 'elasticloadbalancing', region, version };
      const page = element(await client.query(service, action, { PageSize: PAGE_SIZE, ...next }), `${action}Result`);
      for (const one of members(page, set)) found.add(textOf(one, id));
      marker = textOf(page, 'NextMarker');
    } while (marker !== '');
  }
  return found;
}

function isOfBalancer(type: string): boolean {
  return type === 'aws_lb' || type === 'aws_lb_listener' || type === 'aws_lb_target_group';
}

/** ARNs of listeners are those of their balancer with an id behind it: `listener/net/NAME/ID/ID-OF-LISTENER`. */
function balancerOf(arn: string): string {
  return arn.includes(':listener/') ? arn.replace(':listener/', ':loadbalancer/').replace(/\/[^/]*$/, '') : arn;
}
