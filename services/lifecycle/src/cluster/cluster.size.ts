import { MOST_MACHINES, type Cluster } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import { cause } from './cluster.cause.js';
import { machineGroups } from './cluster.nodes.js';

/** What is wrong with the number of machines for the engine. A cluster that has more may have as many as it has, or fewer. */
export function sizeCauses(cluster: Cluster, old: Cluster | undefined): ErrorCause[] {
  const { engine } = cluster.spec.kubernetes;
  if (engine === 'existing') return [];
  const [machines, most] = [machinesOf(cluster), MOST_MACHINES[engine]];
  if (machines <= most || (old && machines <= machinesOf(old))) return [];
  const advice = 'take larger machines, or a second cluster';
  const message = `must come to at most ${most} machines with the control plane, which is what ${engine} can keep the state of: ${advice}`;
  return [cause('spec.nodePools', `${machines} machines`, message)];
}

function machinesOf({ spec }: Cluster): number {
  return machineGroups(spec).reduce((total, { replicas }) => total + replicas, 0);
}
