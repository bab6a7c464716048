import { crc32 } from 'node:zlib';
import type { OwnedResource } from '@crate/infra-aws';
import { element, members, textOf, type AwsClient, type XmlElement } from './aws-client.js';

const VERSION = '2016-11-15';
/** The most that every call takes: DescribeRouteTables takes 5 to 100, and refuses the whole call for more. */
const PER_PAGE = '100';
/** What is in these states is gone; EC2 goes on to list it for an hour or so. */
const GONE = ['terminated', 'deleted', 'failed'];
/** Tags of volumes that controllers make for claims, the newer controller's and that of Kubernetes itself. */
const CLAIM_TAGS = ['CSIVolumeName', 'kubernetes.io/created-for/pvc/name'];
const OWN_ROUTES = 'CreateRoute';

/** What EC2 knows and the tagging API does not say. */
export interface Ec2Details {
  /** The resource as Terraform knows it; nothing when it is gone, or just a part of another one. */
  readonly refine: (resource: OwnedResource) => readonly OwnedResource[];
  /** What takes no tags, with those of what it is part of. */
  readonly untagged: readonly OwnedResource[];
}

/** Asks EC2 about everything in the region that carries the tag. */
export async function ec2Details(
  client: AwsClient,
  region: string,
  [key, value]: readonly [string, string],
): Promise<Ec2Details> {
  const list = (action: string, set: string): Promise<readonly XmlElement[]> =>
    listAll(client, region, { action, set, filter: { 'Filter.1.Name': `tag:${key}`, 'Filter.1.Value.1': value } });
  const machines = (await list('DescribeInstances', 'reservationSet')).flatMap((one) => members(one, 'instancesSet'));
  const gateways = await list('DescribeNatGateways', 'natGatewaySet');
  const rules = await list('DescribeSecurityGroupRules', 'securityGroupRuleSet');
  const keys = await list('DescribeKeyPairs', 'keySet');
  const volumes = await list('DescribeVolumes', 'volumeSet');
  const tables = await list('DescribeRouteTables', 'routeTableSet');

  const living = new Set([
    ...machines
      .filter((one) => !isGone(textOf(element(one, 'instanceState'), 'name')))
      .map((one) => textOf(one, 'instanceId')),
    ...gateways.filter((one) => !isGone(textOf(one, 'state'))).map((one) => textOf(one, 'natGatewayId')),
  ]);
  const egress = new Set(
    rules.filter((one) => textOf(one, 'isEgress') === 'true').map((one) => textOf(one, 'securityGroupRuleId')),
  );
  const names = new Map(keys.map((one) => [textOf(one, 'keyPairId'), textOf(one, 'keyName')]));
  const disks = new Map(volumes.map((one) => [textOf(one, 'volumeId'), textOf(one, 'status')]));
  return {
    refine: (resource) => refine(resource, { living, egress, names, disks }),
    untagged: tables.flatMap(partsOfTable),
  };
}

interface Known {
  readonly living: ReadonlySet<string>;
  readonly egress: ReadonlySet<string>;
  /** Names of key pairs by id. */
  readonly names: ReadonlyMap<string, string>;
  /** What volumes are about, by id. */
  readonly disks: ReadonlyMap<string, string>;
}

function refine(resource: OwnedResource, { living, egress, names, disks }: Known): readonly OwnedResource[] {
  const { type, id } = resource;
  switch (type) {
    case 'aws_instance':
    case 'aws_nat_gateway':
      return living.has(id) ? [resource] : [];
    case 'aws_ebs_volume':
      return volume(resource, disks.get(id));
    case 'aws_vpc_security_group_rule':
      return [{ ...resource, type: `aws_vpc_security_group_${egress.has(id) ? 'egress' : 'ingress'}_rule` }];
    case 'aws_key_pair': {
      // Terraform knows it by its name; the ARN has another id.
      const name = names.get(id);
      return name === undefined ? [] : [{ ...resource, id: name, importId: name }];
    }
    default:
      return [resource];
  }
}

/** The disk of a machine is the machine's; the volume of a claim is that of the cluster, wherever it is. */
function volume(resource: OwnedResource, status: string | undefined): readonly OwnedResource[] {
  if (status === 'available') return [resource];
  const isOfClaim = CLAIM_TAGS.some((key) => resource.tags[key] !== undefined);
  return status === 'in-use' && isOfClaim ? [{ ...resource, isAttached: true }] : [];
}

/** Routes and associations, which take no tags and go under those of their table. */
function partsOfTable(table: XmlElement): readonly OwnedResource[] {
  const id = textOf(table, 'routeTableId');
  const { Name: _name, ...tags } = tagsOf(table);
  const routes = members(table, 'routeSet')
    .filter((route) => textOf(route, 'origin') === OWN_ROUTES)
    .map((route) => textOf(route, 'destinationCidrBlock'))
    .map((cidr) => ({ type: 'aws_route', id: `r-${id}${hashOf(cidr)}`, importId: `${id}_${cidr}`, tags }));
  const associations = members(table, 'associationSet')
    .filter((one) => textOf(one, 'subnetId') !== '')
    .map((one) => ({
      type: 'aws_route_table_association',
      id: textOf(one, 'routeTableAssociationId'),
      importId: `${textOf(one, 'subnetId')}/${id}`,
      tags,
    }));
  return [...routes, ...associations];
}

/** Elements of the set that a call answers, all pages of it. */
export async function listAll(
  client: AwsClient,
  region: string,
  {
    action,
    set,
    filter,
  }: { readonly action: string; readonly set: string; readonly filter: Readonly<Record<string, string>> },
): Promise<readonly XmlElement[]> {
  // Key pairs come all at once, and EC2 refuses to be asked for pages of them.
  const page: Record<string, string> = action === 'DescribeKeyPairs' ? {} : { MaxResults: PER_PAGE };
  const found: XmlElement[] = [];
  let token = '';
  do {
    const next: Record<string, string> = token === '' ? {} : { NextToken: token };
    const answer = await client.query({ name: 'ec2', region, version: VERSION }, action, {
      ...filter,
      ...page,
      ...next,
    });
    found.push(...members(answer, set));
    token = textOf(answer, 'nextToken');
  } while (token !== '');
  return found;
}

function tagsOf(one: XmlElement): Record<string, string> {
  return Object.fromEntries(members(one, 'tagSet').map((tag) => [textOf(tag, 'key'), textOf(tag, 'value')]));
}

function isGone(state: string): boolean {
  return GONE.includes(state);
}

/** As the provider makes ids of routes, to which AWS gives none: the CRC32 of the destination. */
function hashOf(text: string): string {
  return String(crc32(text));
}
