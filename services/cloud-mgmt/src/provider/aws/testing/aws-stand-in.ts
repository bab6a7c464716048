import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Tags = Readonly<Record<string, string>>;

/** How many results EC2 lets a call ask for, as its model has it; more or fewer it refuses. None: the call knows no pages. */
const PAGE_SIZES: Readonly<Record<string, readonly [number, number]>> = {
  DescribeInstances: [5, 1000],
  DescribeNatGateways: [5, 1000],
  DescribeNetworkInterfaces: [5, 1000],
  DescribeRouteTables: [5, 100],
  DescribeSecurityGroupRules: [5, 1000],
  DescribeSecurityGroups: [5, 1000],
  DescribeSubnets: [5, 1000],
  DescribeTags: [5, 1000],
  DescribeVolumes: [5, 1000],
  DescribeVpcEndpoints: [5, 1000],
};

/** A resource of the stand-in. */
export interface StandInResource {
  readonly arn: string;
  readonly tags: Tags;
}

/** What the stand-in holds, as the real services would say it. */
export interface StandInWorld {
  resources: StandInResource[];
  /** ARNs of resources that the tagging API goes on to list though they are deleted. */
  gone: string[];
  /** ARNs of the groups that listeners lead to, by theirs. */
  leads: Readonly<Record<string, string>>;
  /** Elements of the sets that EC2's calls answer, as XML, by action. */
  ec2: Record<
    string,
    { readonly set: string; readonly items: readonly { readonly tags: Tags; readonly xml: string }[] }
  >;
  roles: { readonly name: string; readonly path: string; readonly tags: Tags; readonly policies: readonly string[] }[];
  profiles: { readonly name: string; readonly path: string; readonly tags: Tags }[];
}

/** Nothing is in it. */
export function emptyWorld(): StandInWorld {
  return { resources: [], gone: [], leads: {}, ec2: {}, roles: [], profiles: [] };
}

/** One call as it arrived. */
export interface StandInCall {
  readonly action: string;
  readonly authorization: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** How a call is refused. */
export interface StandInRefusal {
  readonly status: number;
  readonly code: string;
  readonly message?: string;
  readonly retryAfter?: string;
}

/** The APIs of AWS that listings use, over HTTP as the real ones speak: pages of two, and as many refusals as wanted. */
export class AwsStandIn {
  readonly calls: StandInCall[] = [];
  world = emptyWorld();
  /** Refusals to come, by action: each call takes one. */
  refusals: Record<string, StandInRefusal[]> = {};
  pageSize = 2;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<AwsStandIn> {
    const server = createServer();
    const standIn = new AwsStandIn(server);
    server.on('request', (request, response) => void standIn.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return standIn;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/`;
  }

  close(): void {
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const target = String(request.headers['x-amz-target'] ?? '');
    const parameters = target ? {} : Object.fromEntries(new URLSearchParams(body));
    const action = target.split('.')[1] ?? parameters['Action'] ?? '';
    this.calls.push({ action, authorization: request.headers.authorization ?? '', parameters });
    const refusal = this.refusals[action]?.shift();
    if (refusal) refuse(response, refusal);
    else if (target) response.end(JSON.stringify(this.tagged(JSON.parse(body) as TaggingQuery)));
    else this.answerQuery(response, action, parameters);
  }

  private answerQuery(response: ServerResponse, action: string, parameters: Readonly<Record<string, string>>): void {
    const isEc2 = parameters['Version'] === '2016-11-15';
    if (isEc2 && !isPageSizeTaken(action, parameters['MaxResults'])) {
      const message = `Value ( ${parameters['MaxResults']} ) for parameter maxResults is invalid.`;
      refuse(response, { status: 400, code: 'InvalidParameterValue', message });
      return;
    }
    const xml = this.xmlOf(action, parameters);
    if (xml !== undefined) response.end(`<?xml version="1.0" encoding="UTF-8"?>${xml}`);
    else response.writeHead(404).end('<ErrorResponse><Error><Code>NoSuchEntity</Code></Error></ErrorResponse>');
  }

  private xmlOf(action: string, parameters: Readonly<Record<string, string>>): string | undefined {
    switch (parameters['Version']) {
      case '2016-11-15':
        return this.ec2(action, parameters);
      case '2015-12-01':
        return this.balancing(action, parameters);
      case '2012-06-01':
        return this.classicBalancing(action, parameters);
      default:
        return this.iam(action, parameters);
    }
  }

  private tagged({ TagFilters, PaginationToken }: TaggingQuery): object {
    const [filter] = TagFilters;
    const found = this.world.resources.filter(({ tags }) => filter?.Values.includes(tags[filter.Key] ?? ''));
    const { items, next } = this.page(found, PaginationToken);
    return {
      // AWS says null or nothing at the end, depending on the weather.
      PaginationToken: next ?? null,
      ResourceTagMappingList: items.map(({ arn, tags }) => ({
        ResourceARN: arn,
        Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
      })),
    };
  }

  private ec2(action: string, parameters: Readonly<Record<string, string>>): string {
    const { set = 'none', items = [] } = action === 'DescribeTags' ? this.tagSet() : (this.world.ec2[action] ?? {});
    const key = (parameters['Filter.1.Name'] ?? '').replace(/^tag:/, '');
    const found = items.filter(({ tags }) => tags[key] === parameters['Filter.1.Value.1']);
    const paged = parameters['MaxResults'] === undefined ? { items: found } : this.page(found, parameters['NextToken']);
    const list = paged.items.map(({ xml }) => `<item>${xml}</item>`).join('');
    const next = 'next' in paged && paged.next !== undefined ? `<nextToken>${paged.next}</nextToken>` : '';
    return `<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId><${set}>${list}</${set}>${next}</${action}Response>`;
  }

  /** EC2 forgets the tags of what is deleted. */
  private tagSet(): StandInWorld['ec2'][string] {
    const items = this.existing(':ec2:').map(({ arn, tags }) => {
      return { tags, xml: `<resourceId>${arn.split('/').at(-1)}</resourceId>` };
    });
    return { set: 'tagSet', items };
  }

  /** All of the region, whatever their tags are; listeners of one balancer. */
  private balancing(action: string, parameters: Readonly<Record<string, string>>): string {
    const { set, kind, xml } = BALANCING[action]!;
    const { LoadBalancerArn: balancer = '', Marker } = parameters;
    const modern = this.existing(kind).filter(({ arn }) => !isClassic(arn));
    const prefix = `${balancer.replace(':loadbalancer/', kind)}/`;
    const asked = action === 'DescribeListeners' ? modern.filter(({ arn }) => arn.startsWith(prefix)) : modern;
    const { items, next } = this.page(asked, Marker);
    const list = items.map(({ arn }) => `<member>${xml(arn, this.leadingTo(arn))}</member>`).join('');
    const more = next === undefined ? '' : `<NextMarker>${next}</NextMarker>`;
    return `<${action}Response xmlns="http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/"><${action}Result><${set}>${list}</${set}>${more}</${action}Result></${action}Response>`;
  }

  /** Balancers whose listeners lead to a group. */
  private leadingTo(group: string): readonly string[] {
    const listeners = this.existing(':listener/').filter(({ arn }) => this.world.leads[arn] === group);
    const balancers = listeners.map(({ arn }) => arn.replace(':listener/', ':loadbalancer/').replace(/\/[^/]*$/, ''));
    return [...new Set(balancers)];
  }

  /** The older API, which knows balancers of the first generation alone, and those by their names. */
  private classicBalancing(action: string, parameters: Readonly<Record<string, string>>): string {
    const { items, next } = this.page(
      this.existing(':loadbalancer/').filter(({ arn }) => isClassic(arn)),
      parameters['Marker'],
    );
    const name = ({ arn }: StandInResource): string => arn.split('/').at(-1) ?? '';
    const list = items.map((one) => `<member><LoadBalancerName>${name(one)}</LoadBalancerName></member>`).join('');
    const more = next === undefined ? '' : `<NextMarker>${next}</NextMarker>`;
    return `<${action}Response xmlns="http://elasticloadbalancing.amazonaws.com/doc/2012-06-01/"><${action}Result><LoadBalancerDescriptions>${list}</LoadBalancerDescriptions>${more}</${action}Result></${action}Response>`;
  }

  private existing(part: string): readonly StandInResource[] {
    const { resources, gone } = this.world;
    return resources.filter(({ arn }) => arn.includes(part) && !gone.includes(arn));
  }

  private iam(action: string, parameters: Readonly<Record<string, string>>): string | undefined {
    const { roles, profiles } = this.world;
    const prefix = parameters['PathPrefix'] ?? '/';
    const role = roles.find(({ name }) => name === parameters['RoleName']);
    const profile = profiles.find(({ name }) => name === parameters['InstanceProfileName']);
    switch (action) {
      case 'ListRoles':
        return this.iamList(
          action,
          parameters,
          'Roles',
          below(roles, prefix).map(({ name }) => `<RoleName>${name}</RoleName>`),
        );
      case 'ListInstanceProfiles':
        return this.iamList(
          action,
          parameters,
          'InstanceProfiles',
          below(profiles, prefix).map(({ name }) => `<InstanceProfileName>${name}</InstanceProfileName>`),
        );
      case 'ListRolePolicies':
        return role && this.iamList(action, parameters, 'PolicyNames', role.policies);
      case 'ListRoleTags':
        return role && this.iamList(action, parameters, 'Tags', tagElements(role.tags));
      case 'ListInstanceProfileTags':
        return profile && this.iamList(action, parameters, 'Tags', tagElements(profile.tags));
      default:
        throw new Error(`The stand-in knows no ${action}`);
    }
  }

  private iamList(
    action: string,
    parameters: Readonly<Record<string, string>>,
    set: string,
    elements: readonly string[],
  ): string {
    const { items, next } = this.page(elements, parameters['Marker']);
    const list = items.map((item) => `<member>${item}</member>`).join('');
    const more =
      next === undefined
        ? '<IsTruncated>false</IsTruncated>'
        : `<IsTruncated>true</IsTruncated><Marker>${next}</Marker>`;
    return `<${action}Response xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><${action}Result><${set}>${list}</${set}>${more}</${action}Result></${action}Response>`;
  }

  private page<T>(all: readonly T[], token = ''): { readonly items: readonly T[]; readonly next?: string } {
    const from = token === '' ? 0 : Number(token);
    const to = from + this.pageSize;
    return { items: all.slice(from, to), ...(to < all.length ? { next: String(to) } : {}) };
  }
}

interface TaggingQuery {
  readonly TagFilters: readonly { readonly Key: string; readonly Values: readonly string[] }[];
  readonly PaginationToken: string;
}

function refuse(response: ServerResponse, { status, code, message, retryAfter }: StandInRefusal): void {
  const said = message === undefined ? '' : `<Message>${message}</Message>`;
  response
    .writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
    .end(`<Response><Errors><Error><Code>${code}</Code>${said}</Error></Errors></Response>`);
}

/** Elements of load balancing, by the call that lists them. */
const BALANCING: Readonly<
  Record<string, { set: string; kind: string; xml: (arn: string, balancers: readonly string[]) => string }>
> = {
  DescribeLoadBalancers: {
    set: 'LoadBalancers',
    kind: ':loadbalancer/',
    xml: (arn) => `<LoadBalancerArn>${arn}</LoadBalancerArn>`,
  },
  DescribeTargetGroups: {
    set: 'TargetGroups',
    kind: ':targetgroup/',
    xml: (arn, balancers) => {
      const list = balancers.map((one) => `<member>${one}</member>`).join('');
      return `<TargetGroupArn>${arn}</TargetGroupArn><LoadBalancerArns>${list}</LoadBalancerArns>`;
    },
  },
  DescribeListeners: { set: 'Listeners', kind: ':listener/', xml: (arn) => `<ListenerArn>${arn}</ListenerArn>` },
};

/** Its ARN has the name alone behind the kind: `loadbalancer/NAME`. */
function isClassic(arn: string): boolean {
  return /:loadbalancer\/[^/]+$/.test(arn);
}

function isPageSizeTaken(action: string, asked: string | undefined): boolean {
  if (asked === undefined) return true;
  const [least, most] = PAGE_SIZES[action] ?? [1, 0];
  return Number(asked) >= least && Number(asked) <= most;
}

function below<T extends { readonly path: string }>(all: readonly T[], prefix: string): readonly T[] {
  return all.filter(({ path }) => path.startsWith(prefix));
}

function tagElements(tags: Tags): readonly string[] {
  return Object.entries(tags).map(([key, value]) => `<Key>${key}</Key><Value>${value}</Value>`);
}
