import { ref, when, type Value } from './intrinsics.js';
import type { Resources } from './resource.js';

const ANYWHERE = '0.0.0.0/0';
/** What the machine reaches: downloads, AWS and APIs of clusters; and machines of the platform's cluster by SSH, through their bastion. */
const REACHED = [
  { port: 443, what: 'Releases, AWS' },
  { port: 6443, what: 'APIs of clusters' },
  { port: 22, what: 'Bastions of clusters' },
];

/** A network for the machine where none was given; nothing reaches into it. */
export function network(): Resources {
  const made = { Condition: 'NewNetwork' };
  return {
    Vpc: {
      ...made,
      Type: 'AWS::EC2::VPC',
      Properties: { CidrBlock: ref('VpcCidr'), EnableDnsSupport: true, EnableDnsHostnames: true, Tags: named() },
    },
    Subnet: {
      ...made,
      Type: 'AWS::EC2::Subnet',
      Properties: {
        VpcId: ref('Vpc'),
        CidrBlock: ref('VpcCidr'),
        // Only where it is asked for: CloudFormation replaces a subnet that gets it later, and the new one has the addresses of the old one.
        AvailabilityZoneId: when('HasZone', ref('SubnetZoneId')),
        // The machine takes an address of its own; nothing else gets one here.
        MapPublicIpOnLaunch: false,
        Tags: named(),
      },
    },
    Gateway: { ...made, Type: 'AWS::EC2::InternetGateway', Properties: { Tags: named() } },
    GatewayAttachment: {
      ...made,
      Type: 'AWS::EC2::VPCGatewayAttachment',
      Properties: { VpcId: ref('Vpc'), InternetGatewayId: ref('Gateway') },
    },
    Routes: { ...made, Type: 'AWS::EC2::RouteTable', Properties: { VpcId: ref('Vpc'), Tags: named() } },
    DefaultRoute: {
      ...made,
      Type: 'AWS::EC2::Route',
      DependsOn: 'GatewayAttachment',
      Properties: { RouteTableId: ref('Routes'), DestinationCidrBlock: ANYWHERE, GatewayId: ref('Gateway') },
    },
    SubnetRoutes: {
      ...made,
      Type: 'AWS::EC2::SubnetRouteTableAssociation',
      DependsOn: 'DefaultRoute',
      Properties: { SubnetId: ref('Subnet'), RouteTableId: ref('Routes') },
    },
    SecurityGroup: {
      Type: 'AWS::EC2::SecurityGroup',
      Properties: {
        GroupDescription: 'The temporary machine of Crate: nothing comes in',
        VpcId: when('NewNetwork', ref('Vpc'), ref('VpcId')),
        SecurityGroupEgress: REACHED.map(({ port, what }) => ({
          Description: what,
          IpProtocol: 'tcp',
          FromPort: port,
          ToPort: port,
          CidrIp: ANYWHERE,
        })),
        Tags: named(),
      },
    },
  };
}

/** Tags of all that can carry any, besides those of CloudFormation. Never those that Crate knows its own resources by: it would take these for such. */
export function named(): readonly Value[] {
  return [{ Key: 'Name', Value: ref('AWS::StackName') }];
}
