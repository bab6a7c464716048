import { createHash } from 'node:crypto';
import type { WantedLoadBalancer } from '../../cluster/cluster-cloud.js';
import type { CloudObject, Scope } from '../aws/resource-type.js';
import { text } from '../aws/values.js';
import type { Inventory } from '../inventory.js';
import type { Values } from '../terraform/value.js';
import type { CloudCalls } from './cloud-calls.js';
import type { ControllerHost } from './cluster-tag.js';

const PUBLIC_SUBNET = 'kubernetes.io/role/elb';
const SERVICE_TAG = 'kubernetes.io/service-name';
const NAME_LENGTH = 32;

/** Name of a Service's load balancer, as all cloud providers of Kubernetes make it. */
export function loadBalancerName(serviceUid: string): string {
  return `a${serviceUid.replaceAll('-', '')}`.slice(0, NAME_LENGTH);
}

/**
 * Load balancers of Services, in the order of calls, names and tags of the cloud provider for AWS.
 * Source: https://github.com/kubernetes/cloud-provider-aws/blob/master/pkg/providers/v1/aws.go (EnsureLoadBalancer).
 */
export class LoadBalancers {
  constructor(
    private readonly inventory: Inventory,
    private readonly calls: CloudCalls,
  ) {}

  /** Where it can be reached. */
  async ensure(host: ControllerHost, wanted: WantedLoadBalancer): Promise<string> {
    const name = loadBalancerName(wanted.uid);
    const tags = { [host.clusterTag]: 'owned', [SERVICE_TAG]: `${wanted.namespace}/${wanted.service}` };
    const group = await this.once(host, 'aws_security_group', {
      name: groupName(name),
      description: `Security group for Kubernetes ELB ${name} (${wanted.namespace}/${wanted.service})`,
      vpc_id: host.vpcId,
      tags,
    });
    const balancer = await this.once(host, 'aws_lb', {
      name,
      load_balancer_type: 'network',
      security_groups: [text(group, 'id')],
      subnets: this.subnets(host),
      tags,
    });
    for (const port of wanted.ports) await this.ensurePort(host, text(balancer, 'id'), { ...port, name, tags });
    return text(balancer, 'dns_name');
  }

  /** In the order that AWS allows; the security group is free only when the load balancer is gone. */
  async remove(host: ControllerHost, name: string): Promise<void> {
    const balancer = this.named(host, 'aws_lb', name);
    const groups = this.targetGroups(host, name);
    if (balancer) await this.calls.remove(balancer);
    for (const group of groups) await this.calls.remove(group);
    const securityGroup = this.named(host, 'aws_security_group', groupName(name));
    if (securityGroup) await this.calls.remove(securityGroup);
  }

  private async ensurePort(
    host: ControllerHost,
    balancer: string,
    { port, nodePort, protocol, name, tags }: WantedLoadBalancer['ports'][number] & { name: string; tags: Values },
  ): Promise<void> {
    const targets = await this.once(host, 'aws_lb_target_group', {
      name: targetGroupName(name, port),
      port: nodePort,
      protocol,
      vpc_id: host.vpcId,
      tags,
    });
    const listeners = [...this.inventory.ofType(host.machine, 'aws_lb_listener')];
    const isThere = listeners.some(({ attributes }) => {
      return text(attributes, 'load_balancer_arn') === balancer && attributes['port'] === port;
    });
    if (isThere) return;
    await this.calls.create(scopeOf(host), 'aws_lb_listener', {
      load_balancer_arn: balancer,
      port,
      protocol,
      default_action: [{ type: 'forward', target_group_arn: text(targets, 'id') }],
      tags,
    });
  }

  /** The object of that name, made if there is none. */
  private async once(host: ControllerHost, type: string, config: Values): Promise<Values> {
    const known = this.named(host, type, text(config, 'name'));
    return known?.attributes ?? this.calls.create(scopeOf(host), type, config);
  }

  private named({ machine, vpcId }: ControllerHost, type: string, name: string): CloudObject | undefined {
    return [...this.inventory.ofType(machine, type)].find(({ attributes }) => {
      return text(attributes, 'name') === name && text(attributes, 'vpc_id') === vpcId;
    });
  }

  private targetGroups({ machine }: ControllerHost, name: string): CloudObject[] {
    const prefix = targetGroupName(name, '');
    return [...this.inventory.ofType(machine, 'aws_lb_target_group')].filter(({ attributes }) =>
      text(attributes, 'name').startsWith(prefix),
    );
  }

  /** One public subnet of the cluster's network in each zone. */
  private subnets({ machine, vpcId }: ControllerHost): string[] {
    const byZone = new Map<string, string>();
    for (const { id, tags, attributes } of this.inventory.ofType(machine, 'aws_subnet')) {
      if (text(attributes, 'vpc_id') !== vpcId || tags[PUBLIC_SUBNET] === undefined) continue;
      byZone.set(text(attributes, 'availability_zone'), id);
    }
    return byZone.size > 0 ? [...byZone.values()] : [text(machine.attributes, 'subnet_id')];
  }
}

function groupName(name: string): string {
  return `k8s-elb-${name}`;
}

/** No longer than AWS allows, and the same each time. */
function targetGroupName(name: string, port: number | ''): string {
  return `k8s-${createHash('sha256').update(name).digest('hex').slice(0, 16)}-${port}`;
}

function scopeOf({ machine: { account, region } }: ControllerHost): Scope {
  return { account, region };
}
