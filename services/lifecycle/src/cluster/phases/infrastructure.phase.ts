import {
  findCondition,
  isConditionTrue,
  MACHINE_STOPPED,
  madeSpecOf,
  type Cluster,
  type Infrastructure,
  type InfrastructureSpec,
  type MadeClusterSpec,
} from '@crate/api';
import { invariant } from '@crate/errors';
import { settled, waiting, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { approvedPlanOf } from '../../plan/approved-plan.js';
import { findChild } from '../cluster.children.js';
import { driftAnnotations } from '../cluster.drift.js';
import { ensureKnownChild } from '../cluster.known-child.js';
import { machineGroups } from '../cluster.nodes.js';
import type { ClusterScope } from '../cluster.scope.js';
import { withReplaced } from '../replaced-nodes.js';
import { CHILD_POLL_MS, isReadyNow, WAITING_FOR_INFRASTRUCTURE } from './child.js';

/** States the cloud resources the spec asks for and waits until they are there. */
export class InfrastructurePhase {
  constructor(private readonly infrastructures: TypedClient<Infrastructure>) {}

  readonly run = async (scope: ClusterScope): Promise<Outcome> => {
    const sshPublicKey = scope.kubernetes?.status?.sshPublicKey;
    if (!sshPublicKey) throw invariant('Infrastructure phase ran before the SSH key was made');
    const { cluster } = scope;
    const { name } = cluster.metadata;
    const found = await findChild(this.infrastructures, cluster, name);
    const spec = passingSpec(scope, infrastructureSpec(cluster, sshPublicKey), found);
    // A machine is stopped for another type, and the engine needs those that it works on.
    if (changesTypes(found, spec) && isEngineAtWork(scope)) return waiting('WaitingForKubernetes', CHILD_POLL_MS);
    const statement = { name, spec, annotations: driftAnnotations(cluster) };
    scope.infrastructure = await ensureKnownChild(this.infrastructures, scope, found, statement);
    if (lacksMachinesOnly(scope.infrastructure)) return settled;
    return this.awaitReady(scope);
  };

  /** Comes once more after all the rest: what can go on without a machine that stands still has done so by then. */
  readonly awaitReady = ({ infrastructure }: ClusterScope): Promise<Outcome> =>
    Promise.resolve(
      infrastructure && isReadyNow(infrastructure) ? settled : waiting(WAITING_FOR_INFRASTRUCTURE, CHILD_POLL_MS),
    );
}

/** With the machines besides that stay until those that replace them are nodes. */
function passingSpec(
  { cluster, replacedNodes: staying = [] }: ClusterScope,
  spec: InfrastructureSpec,
  found: Infrastructure | undefined,
): InfrastructureSpec {
  const present = found?.spec.machineGroups ?? [];
  return { ...spec, machineGroups: withReplaced(cluster, spec.machineGroups, { present, staying }) };
}

/** Machines that are there are to have another type. */
function changesTypes(found: Infrastructure | undefined, { machineGroups: wanted }: InfrastructureSpec): boolean {
  const present = found?.spec.machineGroups ?? [];
  return present.some(
    (was) => was.replicas > 0 && wanted.some((is) => is.name === was.name && is.machineType !== was.machineType),
  );
}

/** It runs, or will as soon as it sees what it was told. A run that failed is no reason to wait: another type may be what mends it. */
function isEngineAtWork({ kubernetes }: ClusterScope): boolean {
  if (!kubernetes || kubernetes.spec.nodes.length === 0 || isReadyNow(kubernetes)) return false;
  const { metadata, status } = kubernetes;
  return status?.failure === undefined && !isConditionTrue(status?.conditions, 'Synced', metadata.generation);
}

/** All of the spec as it is now is there and published, and nothing but machines that stand still keeps it from being Ready. */
function lacksMachinesOnly({ metadata: { generation }, status }: Infrastructure): boolean {
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready?.reason !== MACHINE_STOPPED || ready.observedGeneration !== generation) return false;
  return status?.observedGeneration === generation;
}

/** Without addresses inside the cluster, which are none of the cloud's business. */
function networkOf({
  vpcCidr,
  availabilityZones,
  loadBalancerPorts,
}: MadeClusterSpec['network']): InfrastructureSpec['network'] {
  return { vpcCidr, availabilityZones, ...(loadBalancerPorts === undefined ? {} : { loadBalancerPorts }) };
}

/** The cloud resources of a cluster that Crate makes, as cloud-mgmt takes them. */
export function infrastructureSpec(cluster: Cluster, sshPublicKey: string): InfrastructureSpec {
  const spec = madeSpecOf(cluster);
  if (!spec) throw invariant('An existing cluster has no infrastructure');
  const { accountRef, region, network, drift, maxImpact } = spec;
  return {
    accountRef,
    clusterName: cluster.metadata.name,
    clusterUid: cluster.metadata.uid,
    region,
    network: networkOf(network),
    machineGroups: machineGroups(cluster.spec),
    sshPublicKey,
    drift,
    ...(maxImpact === undefined ? {} : { maxImpact }),
    ...approvedPlanOf(cluster),
  };
}
