import { LbListener } from '@cdktn/provider-aws/lib/lb-listener/index.js';
import { LbTargetGroup } from '@cdktn/provider-aws/lib/lb-target-group/index.js';
import { LbTargetGroupAttachment } from '@cdktn/provider-aws/lib/lb-target-group-attachment/index.js';
import { Lb } from '@cdktn/provider-aws/lib/lb/index.js';
import { Construct } from 'constructs';
import type { AwsClusterInput } from '../input.js';
import { terraformName, uniqueName } from '../names.js';
import type { ClusterMachine } from './machines.js';
import type { Network } from './network.js';
import { API_PORT, type SecurityGroups } from './security-groups.js';

const LOAD_BALANCER_NAME_LENGTH = 32;

/** What the load balancer stands between. */
export interface ApiLoadBalancerParts {
  readonly network: Network;
  readonly groups: SecurityGroups;
  readonly machines: readonly ClusterMachine[];
}

/**
 * The API server's network load balancer. It faces the internet, because people and Crate use it from outside the
 * VPC, and its security group lets in the management networks only.
 */
export function buildApiLoadBalancer(scope: Construct, input: AwsClusterInput, parts: ApiLoadBalancerParts): Lb {
  const name = uniqueName(input, 'api', LOAD_BALANCER_NAME_LENGTH);
  const balancer = new Lb(scope, 'api-balancer', {
    name,
    loadBalancerType: 'network',
    internal: false,
    subnets: parts.network.zones.map((zone) => zone.publicSubnet.id),
    securityGroups: [parts.groups.api.id],
    enableCrossZoneLoadBalancing: true,
    tags: { Name: name },
    dependsOn: [parts.network.internetGateway],
  });
  const targets = buildTargets(scope, name, parts);
  new LbListener(scope, 'api-listener', {
    loadBalancerArn: balancer.arn,
    port: API_PORT,
    protocol: 'TCP',
    defaultAction: [{ type: 'forward', targetGroupArn: targets.arn }],
    tags: { Name: name },
  });
  return balancer;
}

function buildTargets(scope: Construct, name: string, parts: ApiLoadBalancerParts): LbTargetGroup {
  const targets = new LbTargetGroup(scope, 'api-targets', {
    name,
    port: API_PORT,
    protocol: 'TCP',
    targetType: 'instance',
    vpcId: parts.network.vpc.id,
    deregistrationDelay: '30',
    // With the client's address kept, a machine could not reach itself through the load balancer.
    preserveClientIp: 'false',
    healthCheck: { protocol: 'TCP', port: 'traffic-port', interval: 10, healthyThreshold: 2, unhealthyThreshold: 2 },
    tags: { Name: name },
  });
  const attached = new Construct(scope, 'api-attachments');
  for (const { name: machineName, group, instance } of parts.machines) {
    if (group.role !== 'control-plane') continue;
    const attachment = new LbTargetGroupAttachment(attached, machineName, {
      targetGroupArn: targets.arn,
      targetId: instance.id,
      port: API_PORT,
    });
    attachment.overrideLogicalId(terraformName(machineName));
  }
  return targets;
}
