import { SecurityGroup } from '@cdktn/provider-aws/lib/security-group/index.js';
import { VpcSecurityGroupEgressRule } from '@cdktn/provider-aws/lib/vpc-security-group-egress-rule/index.js';
import { VpcSecurityGroupIngressRule } from '@cdktn/provider-aws/lib/vpc-security-group-ingress-rule/index.js';
import type { Construct } from 'constructs';
import type { AwsClusterInput, LoadBalancerPort } from '../input.js';
import { portName } from '../names.js';
import type { Network } from './network.js';

/** Port of the API server, on machines and on the load balancer. */
export const API_PORT = 6443;

/** The security groups of a cluster. A machine is in exactly one: Kubernetes' cloud controllers insist on that. */
export type SecurityGroups = Record<GroupName, SecurityGroup>;

type GroupName = 'bastion' | 'api' | 'control-plane' | 'worker';

interface Ports {
  readonly name: string;
  readonly protocol: 'tcp' | 'udp';
  readonly from: number;
  readonly to: number;
}

const SSH: Ports = { name: 'ssh', protocol: 'tcp', from: 22, to: 22 };
const API: Ports = { name: 'api', protocol: 'tcp', from: API_PORT, to: API_PORT };
const ETCD: Ports = { name: 'etcd', protocol: 'tcp', from: 2379, to: 2380 };
const KUBELET: Ports = { name: 'kubelet', protocol: 'tcp', from: 10250, to: 10250 };
/** Canal's overlay: all traffic between pods, webhooks included, travels in it. */
const OVERLAY: Ports = { name: 'overlay', protocol: 'udp', from: 8472, to: 8472 };
const HTTP: Ports = { name: 'http', protocol: 'tcp', from: 80, to: 80 };
const HTTPS: Ports = { name: 'https', protocol: 'tcp', from: 443, to: 443 };

interface Door {
  readonly to: GroupName;
  readonly from: GroupName;
  readonly ports: readonly Ports[];
}

/** Who may open connections to whom inside each cluster; nothing else is let in. */
const WITHIN: readonly Door[] = [
  // The engine reaches nodes and the API server through the bastion only.
  { to: 'control-plane', from: 'bastion', ports: [SSH, API] },
  { to: 'worker', from: 'bastion', ports: [SSH] },
  { to: 'control-plane', from: 'api', ports: [API] },
  { to: 'control-plane', from: 'control-plane', ports: [API, ETCD, KUBELET, OVERLAY] },
  // The kubelet port: the metrics server runs on a worker and asks every kubelet.
  { to: 'control-plane', from: 'worker', ports: [API, KUBELET, OVERLAY] },
  { to: 'worker', from: 'control-plane', ports: [KUBELET, OVERLAY] },
  { to: 'worker', from: 'worker', ports: [KUBELET, OVERLAY] },
];

const DESCRIPTIONS: Record<GroupName, string> = {
  bastion: 'SSH from the management networks',
  api: 'Load balancer of the API server',
  'control-plane': 'Control-plane machines',
  worker: 'Worker machines',
};

/** Security groups with one resource per rule, so that a change of one rule touches no other. */
export function buildSecurityGroups(scope: Construct, input: AwsClusterInput, network: Network): SecurityGroups {
  const group = (name: GroupName): SecurityGroup =>
    new SecurityGroup(scope, `${name}-group`, {
      name: `${input.clusterName}-${name}`,
      description: DESCRIPTIONS[name],
      vpcId: network.vpc.id,
      tags: { Name: `${input.clusterName}-${name}` },
    });
  const groups: SecurityGroups = {
    bastion: group('bastion'),
    api: group('api'),
    'control-plane': group('control-plane'),
    worker: group('worker'),
  };
  const exposed = input.network.loadBalancerPorts ?? [];
  for (const cidr of [...new Set(input.managementCidrs)].sort()) {
    allowManagement(scope, groups.bastion, { cidr, to: 'bastion', ports: SSH });
    for (const ports of [API, ...exposed.map(frontOf)]) {
      allowManagement(scope, groups.api, { cidr, to: 'api', ports });
    }
  }
  const doors = [...WITHIN, ...exposed.map(behind)];
  for (const { to, from, ports } of doors) {
    for (const range of ports) allowWithin(scope, groups, { to, from, range });
  }
  allowOut(scope, groups, doors);
  return groups;
}

function frontOf(exposed: LoadBalancerPort): Ports {
  return { name: portName(exposed), protocol: 'tcp', from: exposed.port, to: exposed.port };
}

function behind(exposed: LoadBalancerPort): Door {
  const { nodePort } = exposed;
  const ports = [{ name: portName(exposed), protocol: 'tcp', from: nodePort, to: nodePort }] as const;
  return { to: 'worker', from: 'api', ports };
}

function allowManagement(
  scope: Construct,
  group: SecurityGroup,
  { cidr, to, ports }: { cidr: string; to: GroupName; ports: Ports },
): void {
  const name = `${to}-${ports.name}-from-${cidr.replaceAll(/[./]/g, '-')}`;
  new VpcSecurityGroupIngressRule(scope, name, {
    securityGroupId: group.id,
    description: `${ports.name} from a management network`,
    cidrIpv4: cidr,
    ...portRange(ports),
    tags: { Name: name },
  });
}

function allowWithin(
  scope: Construct,
  groups: SecurityGroups,
  { to, from, range }: { to: GroupName; from: GroupName; range: Ports },
): void {
  const name = `${to}-${range.name}-from-${from}`;
  new VpcSecurityGroupIngressRule(scope, name, {
    securityGroupId: groups[to].id,
    description: `${range.name} from ${from}`,
    referencedSecurityGroupId: groups[from].id,
    ...portRange(range),
    tags: { Name: name },
  });
}

/** Machines may go anywhere: what a workload may reach is for its network policies to say. */
function allowOut(scope: Construct, groups: SecurityGroups, doors: readonly Door[]): void {
  for (const name of ['control-plane', 'worker'] as const) {
    const ruleName = `${name}-out`;
    new VpcSecurityGroupEgressRule(scope, ruleName, {
      securityGroupId: groups[name].id,
      description: 'anywhere',
      cidrIpv4: '0.0.0.0/0',
      ipProtocol: '-1',
      tags: { Name: ruleName },
    });
  }
  for (const range of [HTTP, HTTPS]) {
    const ruleName = `bastion-${range.name}-out`;
    new VpcSecurityGroupEgressRule(scope, ruleName, {
      securityGroupId: groups.bastion.id,
      description: 'system updates',
      cidrIpv4: '0.0.0.0/0',
      ...portRange(range),
      tags: { Name: ruleName },
    });
  }
  for (const { to, from, ports } of doors) {
    if (from !== 'bastion' && from !== 'api') continue;
    for (const range of ports) allowOutTo(scope, groups, { to, from, range });
  }
}

function allowOutTo(
  scope: Construct,
  groups: SecurityGroups,
  { to, from, range }: { to: GroupName; from: GroupName; range: Ports },
): void {
  const name = `${from}-${range.name}-to-${to}`;
  new VpcSecurityGroupEgressRule(scope, name, {
    securityGroupId: groups[from].id,
    description: `${range.name} to ${to}`,
    referencedSecurityGroupId: groups[to].id,
    ...portRange(range),
    tags: { Name: name },
  });
}

function portRange(ports: Ports): { ipProtocol: string; fromPort: number; toPort: number } {
  return { ipProtocol: ports.protocol, fromPort: ports.from, toPort: ports.to };
}
