import type { Cluster, ClusterStatus } from '@crate/api';
import { failureOf, type Pass } from '@crate/reconcile';
import { classStatus } from './cluster.class.js';
import { clusterConditions } from './cluster.conditions.js';
import { childFailure } from './cluster.failure.js';
import { isNodeOf } from './cluster.nodes.js';
import { clusterPhases } from './cluster.progress.js';
import type { ClusterScope } from './cluster.scope.js';
import { isReadyNow } from './phases/child.js';

export interface StatusContext {
  readonly now: Date;
  readonly traceId: string;
}

/** What a person reads about the cluster after a pass. Pure: facts in, status out. */
export function clusterStatus(scope: ClusterScope, pass: Pass, context: StatusContext): ClusterStatus {
  const { metadata, spec, status: before } = scope.cluster;
  const { traceId, now } = context;
  const failure = pass.ok ? childFailure(scope) : failureOf(pass.error, { traceId, before: before?.failure });
  const isIdle = spec.paused && metadata.deletionTimestamp === undefined;
  return {
    observedGeneration: pass.ok && !isIdle ? metadata.generation : (before?.observedGeneration ?? 0),
    conditions: [...clusterConditions(scope, pass, failure?.message, now)],
    // Nobody looked while the cluster is paused, so it stands where it stood.
    ...(isIdle ? journeyBefore(before) : journeyNow(scope, pass)),
    ...(failure ? { failure } : {}),
    ...observed(scope),
  };
}

function journeyNow(scope: ClusterScope, pass: Pass): Pick<ClusterStatus, 'progress' | 'phases'> {
  const phases = clusterPhases(scope, pass);
  const current = phases.find((phase) => phase.state !== 'Done');
  return {
    progress: {
      step: phases.filter((phase) => phase.state === 'Done').length,
      steps: phases.length,
      message: current ? `${current.name}: ${current.message}` : 'Ready',
    },
    phases,
  };
}

function journeyBefore(before: ClusterStatus | undefined): Pick<ClusterStatus, 'progress' | 'phases'> {
  const { phases } = before ?? {};
  const { step = 0, steps = 0 } = before?.progress ?? {};
  return { progress: { step, steps, message: 'Paused' }, ...(phases ? { phases } : {}) };
}

/** What the children say, as last heard. */
function observed(scope: ClusterScope): Partial<ClusterStatus> {
  const { kubernetes, installations, cluster } = scope;
  const { version, apiEndpoint, nodes, nodePools, addOns } = cluster.status ?? {};
  const known: Partial<ClusterStatus> = {
    version: kubernetes?.status?.version ?? version,
    apiEndpoint: kubernetes?.status?.apiEndpoint ?? apiEndpoint,
    nodes: kubernetes ? nodeCounts(cluster, kubernetes) : nodes,
    nodePools: kubernetes ? poolCounts(cluster, kubernetes) : nodePools,
    class: classStatus(scope),
    addOns: installations ? addOnStates(installations) : addOns,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

function nodeCounts({ spec }: Cluster, { status }: NonNullable<ClusterScope['kubernetes']>): ClusterStatus['nodes'] {
  return {
    ready: (status?.nodes ?? []).filter((node) => node.ready).length,
    desired: spec.controlPlane.replicas + spec.nodePools.reduce((sum, pool) => sum + pool.replicas, 0),
  };
}

function poolCounts(cluster: Cluster, { status }: NonNullable<ClusterScope['kubernetes']>): ClusterStatus['nodePools'] {
  return cluster.spec.nodePools.map(({ name }) => {
    const nodes = (status?.nodes ?? []).filter((node) => isNodeOf(cluster, name, node.name));
    return { name, nodes: nodes.length, ready: nodes.filter((node) => node.ready).length };
  });
}

function addOnStates(installations: NonNullable<ClusterScope['installations']>): ClusterStatus['addOns'] {
  return installations
    .map((installation) => ({
      name: installation.spec.addOn,
      version: installation.spec.version,
      ready: isReadyNow(installation),
    }))
    .sort((left, right) => left.name.localeCompare(right.name));
}
