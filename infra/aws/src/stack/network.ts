import { DataAwsAvailabilityZones } from '@cdktn/provider-aws/lib/data-aws-availability-zones/index.js';
import { Eip } from '@cdktn/provider-aws/lib/eip/index.js';
import { InternetGateway } from '@cdktn/provider-aws/lib/internet-gateway/index.js';
import { NatGateway } from '@cdktn/provider-aws/lib/nat-gateway/index.js';
import { Route } from '@cdktn/provider-aws/lib/route/index.js';
import { RouteTable } from '@cdktn/provider-aws/lib/route-table/index.js';
import { RouteTableAssociation } from '@cdktn/provider-aws/lib/route-table-association/index.js';
import { Subnet } from '@cdktn/provider-aws/lib/subnet/index.js';
import { Vpc } from '@cdktn/provider-aws/lib/vpc/index.js';
import { Fn, propertyAccess } from 'cdktn';
import type { Construct } from 'constructs';
import { zoneBlocks } from '../addresses.js';
import type { AwsClusterInput } from '../input.js';

const ANYWHERE = '0.0.0.0/0';

/** One zone of the network. */
export interface Zone {
  readonly publicSubnet: Subnet;
  readonly privateSubnet: Subnet;
  /** The private subnet's way out; machines that start before it exists cannot install anything. */
  readonly privateDefaultRoute: Route;
  /** Where its machines come from, for whoever they call outside. */
  readonly egressAddress: Eip;
}

/** The network of a cluster. */
export interface Network {
  readonly vpc: Vpc;
  readonly internetGateway: InternetGateway;
  readonly zones: readonly Zone[];
}

interface Surroundings {
  readonly vpc: Vpc;
  readonly internetGateway: InternetGateway;
  readonly publicRoutes: RouteTable;
  readonly zoneNames: DataAwsAvailabilityZones;
}

/** A VPC over several zones: machines in private subnets, each zone with its own way out. */
export function buildNetwork(scope: Construct, input: AwsClusterInput): Network {
  const vpc = new Vpc(scope, 'vpc', {
    cidrBlock: input.network.vpcCidr,
    enableDnsHostnames: true,
    enableDnsSupport: true,
    tags: { Name: input.clusterName },
  });
  const internetGateway = new InternetGateway(scope, 'internet-gateway', {
    vpcId: vpc.id,
    tags: { Name: input.clusterName },
  });
  const publicRoutes = new RouteTable(scope, 'public-routes', {
    vpcId: vpc.id,
    tags: { Name: `${input.clusterName}-public` },
  });
  new Route(scope, 'public-default-route', {
    routeTableId: publicRoutes.id,
    destinationCidrBlock: ANYWHERE,
    gatewayId: internetGateway.id,
  });
  const around: Surroundings = { vpc, internetGateway, publicRoutes, zoneNames: buildZoneNames(scope) };
  const zones = Array.from({ length: input.network.availabilityZones }, (_, index) =>
    buildZone(scope, input, around, index),
  );
  return { vpc, internetGateway, zones };
}

/**
 * Zones that AWS builds out no more, without machines of current types; accounts may see them all the same. By their ids: a zone's name differs
 * from account to account. Source: https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html
 */
const OLD_ZONES = ['use1-az3', 'usw1-az2', 'cac1-az3'];

/** Accounts see different zones of a region; old ones, and those that need an opt-in (local zones), are left out. */
function buildZoneNames(scope: Construct): DataAwsAvailabilityZones {
  return new DataAwsAvailabilityZones(scope, 'zones', {
    state: 'available',
    excludeZoneIds: OLD_ZONES,
    filter: [{ name: 'opt-in-status', values: ['opt-in-not-required'] }],
  });
}

function buildZone(scope: Construct, input: AwsClusterInput, around: Surroundings, index: number): Zone {
  const publicSubnet = buildSubnet(scope, input, around, { visibility: 'public', index });
  new RouteTableAssociation(scope, `public-subnet-${index}-routes`, {
    subnetId: publicSubnet.id,
    routeTableId: around.publicRoutes.id,
  });
  const privateSubnet = buildSubnet(scope, input, around, { visibility: 'private', index });
  const privateRoutes = new RouteTable(scope, `private-routes-${index}`, {
    vpcId: around.vpc.id,
    tags: { Name: `${input.clusterName}-private-${index}` },
  });
  new RouteTableAssociation(scope, `private-subnet-${index}-routes`, {
    subnetId: privateSubnet.id,
    routeTableId: privateRoutes.id,
  });
  const { gateway, egressAddress } = buildNatGateway(scope, input, {
    index,
    publicSubnet,
    internetGateway: around.internetGateway,
  });
  const privateDefaultRoute = new Route(scope, `private-default-route-${index}`, {
    routeTableId: privateRoutes.id,
    destinationCidrBlock: ANYWHERE,
    natGatewayId: gateway.id,
  });
  return { publicSubnet, privateSubnet, privateDefaultRoute, egressAddress };
}

function buildSubnet(
  scope: Construct,
  input: AwsClusterInput,
  around: Surroundings,
  { visibility, index }: { visibility: 'public' | 'private'; index: number },
): Subnet {
  // Kubernetes' cloud controllers place load balancers by these two tags.
  const role = visibility === 'public' ? 'kubernetes.io/role/elb' : 'kubernetes.io/role/internal-elb';
  return new Subnet(scope, `${visibility}-subnet-${index}`, {
    vpcId: around.vpc.id,
    cidrBlock: zoneBlocks(input.network.vpcCidr, index)[visibility],
    availabilityZone: zoneName(input, around.zoneNames, index),
    mapPublicIpOnLaunch: false,
    tags: { Name: `${input.clusterName}-${visibility}-${index}`, [role]: '1' },
    // A zone that AWS adds to the region must not move the subnets there are.
    lifecycle: { ignoreChanges: ['availability_zone'] },
  });
}

/**
 * A zone that there is not has a name that AWS refuses in an error which says it. A condition of the stack would keep every change from a
 * cluster that stands while a zone of it does not, and the next best zone would have two subnets.
 */
function zoneName({ region, network }: AwsClusterInput, zones: DataAwsAvailabilityZones, index: number): string {
  // In an expression, where cdktn leaves quotes as they are.
  const name = region.replaceAll(/[^a-z0-9-]/g, '-');
  const none = `${name}-has-fewer-than-${network.availabilityZones}-zones-for-this-account`;
  return Fn.try([propertyAccess(zones.names, [index]), none]) as string;
}

function buildNatGateway(
  scope: Construct,
  input: AwsClusterInput,
  at: { index: number; publicSubnet: Subnet; internetGateway: InternetGateway },
): { readonly gateway: NatGateway; readonly egressAddress: Eip } {
  const tags = { Name: `${input.clusterName}-nat-${at.index}` };
  const egressAddress = new Eip(scope, `nat-address-${at.index}`, {
    domain: 'vpc',
    tags,
    dependsOn: [at.internetGateway],
  });
  const gateway = new NatGateway(scope, `nat-gateway-${at.index}`, {
    allocationId: egressAddress.allocationId,
    subnetId: at.publicSubnet.id,
    tags,
    dependsOn: [at.internetGateway],
  });
  return { gateway, egressAddress };
}
