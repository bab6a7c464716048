import { Lb } from '@cdktn/provider-aws/lib/lb/index.js';
import type { Construct } from 'constructs';
import type { AwsClusterInput, LoadBalancerPort, MachineRole } from '../input.js';
import { portName, uniqueName } from '../names.js';
import { buildListener, LOAD_BALANCER_NAME_LENGTH } from './listener.js';
import type { ClusterMachine } from './machines.js';
import type { Network } from './network.js';
import { API_PORT, type SecurityGroups } from './security-groups.js';

/** What the load balancer stands between. */
export interface ApiLoadBalancerParts {
  readonly network: Network;
  readonly groups: SecurityGroups;
  readonly machines: readonly ClusterMachine[];
}

/**
 * The API server's network load balancer, and that of the ports which the cluster asks for besides. It faces the
 * internet, because people and Crate use it from outside the VPC, and its security group lets in the management
 * networks only.
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
  const { network } = parts;
  const targets = { name, port: API_PORT, machines: machinesOf(parts, 'control-plane'), suffix: '' };
  buildListener(scope, { balancer, network, id: 'api', name, port: API_PORT, targets });
  for (const exposed of input.network.loadBalancerPorts ?? [])
    exposePort(scope, input, { ...parts, balancer, exposed });
  return balancer;
}

interface ExposedPortParts extends ApiLoadBalancerParts {
  readonly balancer: Lb;
  readonly exposed: LoadBalancerPort;
}

/** Leads to all workers: every one of them answers at a node port, whichever machine has the pod. */
function exposePort(scope: Construct, input: AwsClusterInput, parts: ExposedPortParts): void {
  const nameFor = (suffix: string): string => uniqueName(input, suffix, LOAD_BALANCER_NAME_LENGTH);
  const { exposed, balancer, network } = parts;
  const { port, nodePort } = exposed;
  const id = portName(exposed);
  buildListener(scope, {
    ...{ balancer, network, id, name: nameFor(`${port}`), port },
    targets: {
      // Another node port means another group, which has to be there before the listener lets go of the old one.
      name: nameFor(`${port}-${nodePort}`),
      lifecycle: { createBeforeDestroy: true },
      ...{ port: nodePort, machines: machinesOf(parts, 'worker'), suffix: `-${id}` },
    },
  });
}

function machinesOf({ machines }: ApiLoadBalancerParts, role: MachineRole): readonly ClusterMachine[] {
  return machines.filter(({ group }) => group.role === role);
}
