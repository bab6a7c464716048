import type { OwnedResource } from '@crate/infra-aws';
import { someAtATime } from '@crate/reconcile';
import { element, members, textOf, type AwsClient, type XmlElement } from './aws-client.js';
import { awsCodeOf } from './aws-request.js';

const PAGE_SIZE = '400';
/** Balancers that are asked together. */
const AT_A_TIME = 5;

/** How a kind of load balancing is listed. */
interface Kind {
  /** Of the API. */
  readonly version: string;
  readonly action: string;
  readonly set: string;
}

const BALANCERS: Kind = { version: '2015-12-01', action: 'DescribeLoadBalancers', set: 'LoadBalancers' };
const GROUPS: Kind = { version: '2015-12-01', action: 'DescribeTargetGroups', set: 'TargetGroups' };
const LISTENERS: Kind = { version: '2015-12-01', action: 'DescribeListeners', set: 'Listeners' };
/** Balancers of the first generation, which the older API alone knows. */
const CLASSIC: Kind = { version: '2012-06-01', action: 'DescribeLoadBalancers', set: 'LoadBalancerDescriptions' };

/** A region, as whom it is asked. */
interface Place {
  readonly client: AwsClient;
  readonly region: string;
}

/** Those of the parts of load balancers that are still there, by type and id; undefined for what is no such part. */
export type LoadBalancingThere = (resource: OwnedResource) => boolean | undefined;

/**
 * Asks the services of load balancing about what is listed of it. Not every balancer for its listeners, which would be a call each: only
 * those of which more are listed than lead anywhere.
 */
export async function loadBalancingThere(
  client: AwsClient,
  region: string,
  listed: readonly OwnedResource[],
): Promise<LoadBalancingThere> {
  const place = { client, region };
  const has = (...types: readonly string[]): boolean => listed.some(({ type }) => types.includes(type));
  const isAny = has('aws_lb', 'aws_lb_listener', 'aws_lb_target_group');
  const balancers = idsOf(isAny ? await list(place, BALANCERS) : [], 'LoadBalancerArn');
  const groups = isAny ? await list(place, GROUPS) : [];
  const classic = idsOf(has('aws_elb') ? await list(place, CLASSIC) : [], 'LoadBalancerName');
  const doubtful = doubtfulOf(listed, groups).filter((arn) => balancers.has(arn));
  const listeners = idsOf(
    (await someAtATime(doubtful, AT_A_TIME, (arn) => listenersOf(place, arn))).flat(),
    'ListenerArn',
  );

  const groupIds = idsOf(groups, 'TargetGroupArn');
  return ({ type, id }) => {
    if (type === 'aws_lb') return balancers.has(id);
    if (type === 'aws_lb_target_group') return groupIds.has(id);
    if (type === 'aws_elb') return classic.has(id);
    if (type !== 'aws_lb_listener') return undefined;
    const balancer = balancerOf(id);
    return doubtful.includes(balancer) ? listeners.has(id) : balancers.has(balancer);
  };
}

/**
 * Balancers of which more listeners are listed than listed groups get traffic from them: a listener that is gone lets go of its group. Groups
 * that are not listed are somebody else's, as are the listeners that lead to them.
 * Source: https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetGroup.html
 */
function doubtfulOf(listed: readonly OwnedResource[], groups: readonly XmlElement[]): readonly string[] {
  const ids = new Set(listed.map(({ id }) => id));
  const led = countOf(groups.filter((group) => ids.has(textOf(group, 'TargetGroupArn'))).flatMap(balancersOf));
  const listeners = countOf(listed.filter(({ type }) => type === 'aws_lb_listener').map(({ id }) => balancerOf(id)));
  return [...listeners].filter(([arn, count]) => count > (led.get(arn) ?? 0)).map(([arn]) => arn);
}

function balancersOf(group: XmlElement): readonly string[] {
  const arns = element(group, 'LoadBalancerArns')['member'];
  return Array.isArray(arns) ? (arns as string[]) : [];
}

/** None of a balancer that went since it was listed. */
async function listenersOf(place: Place, balancer: string): Promise<readonly XmlElement[]> {
  try {
    return await list(place, LISTENERS, { LoadBalancerArn: balancer });
  } catch (error) {
    if (awsCodeOf(error) === 'LoadBalancerNotFound') return [];
    throw error;
  }
}

async function list(
  { client, region }: Place,
  { version, action, set }: Kind,
  parameters: Readonly<Record<string, string>> = {},
): Promise<readonly XmlElement[]> {
  const service = { name: 'elasticloadbalancing', region, version };
  const found: XmlElement[] = [];
  let marker = '';
  do {
    const next: Record<string, string> = marker === '' ? {} : { Marker: marker };
    const answer = await client.query(service, action, { ...parameters, PageSize: PAGE_SIZE, ...next });
    const page = element(answer, `${action}Result`);
    found.push(...members(page, set));
    marker = textOf(page, 'NextMarker');
  } while (marker !== '');
  return found;
}

function idsOf(elements: readonly XmlElement[], name: string): ReadonlySet<string> {
  return new Set(elements.map((one) => textOf(one, name)));
}

function countOf(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** ARNs of listeners are those of their balancer with an id behind it: `listener/net/NAME/ID/ID-OF-LISTENER`. */
function balancerOf(listener: string): string {
  return listener.replace(':listener/', ':loadbalancer/').replace(/\/[^/]*$/, '');
}
