import { LbListener } from '@cdktn/provider-aws/lib/lb-listener/index.js';
import { LbTargetGroup, type LbTargetGroupConfig } from '@cdktn/provider-aws/lib/lb-target-group/index.js';
import { LbTargetGroupAttachment } from '@cdktn/provider-aws/lib/lb-target-group-attachment/index.js';
import type { Lb } from '@cdktn/provider-aws/lib/lb/index.js';
import { Construct } from 'constructs';
import { terraformName } from '../names.js';
import type { ClusterMachine } from './machines.js';
import type { Network } from './network.js';

/** Longest name that AWS takes for a load balancer or a target group. */
export const LOAD_BALANCER_NAME_LENGTH = 32;

/** A port of a load balancer, and where it leads. */
export interface ListenerParts {
  readonly balancer: Lb;
  readonly network: Network;
  /** Begins the names of its parts in the stack. */
  readonly id: string;
  readonly name: string;
  readonly port: number;
  readonly targets: {
    /** Unique in the account. */
    readonly name: string;
    readonly port: number;
    readonly machines: readonly ClusterMachine[];
    /** Ends the names of the attachments, which begin with those of the machines; empty: nothing does. */
    readonly suffix: string;
    readonly lifecycle?: NonNullable<LbTargetGroupConfig['lifecycle']>;
  };
}

/** Forwards a TCP port to machines, to those alone that listen. */
export function buildListener(scope: Construct, parts: ListenerParts): void {
  const { balancer, id, name, port } = parts;
  const targets = buildTargets(scope, parts);
  new LbListener(scope, `${id}-listener`, {
    loadBalancerArn: balancer.arn,
    port,
    protocol: 'TCP',
    defaultAction: [{ type: 'forward', targetGroupArn: targets.arn }],
    tags: { Name: name },
  });
}

function buildTargets(scope: Construct, { id, network, targets }: ListenerParts): LbTargetGroup {
  const { name, port, machines, suffix, lifecycle } = targets;
  const group = new LbTargetGroup(scope, `${id}-targets`, {
    name,
    port,
    protocol: 'TCP',
    targetType: 'instance',
    vpcId: network.vpc.id,
    deregistrationDelay: '30',
    // With the client's address kept, a machine could not reach itself through the load balancer.
    preserveClientIp: 'false',
    healthCheck: { protocol: 'TCP', port: 'traffic-port', interval: 10, healthyThreshold: 2, unhealthyThreshold: 2 },
    tags: { Name: name },
    ...(lifecycle === undefined ? {} : { lifecycle }),
  });
  const attached = new Construct(scope, `${id}-attachments`);
  for (const machine of machines) {
    const attachment = new LbTargetGroupAttachment(attached, machine.name, {
      targetGroupArn: group.arn,
      targetId: machine.instance.id,
      port,
    });
    attachment.overrideLogicalId(terraformName(`${machine.name}${suffix}`));
  }
  return group;
}
