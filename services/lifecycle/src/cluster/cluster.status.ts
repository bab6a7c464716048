import {
  isExisting,
  withoutUndefined,
  type Cluster,
  type ClusterStatus,
  type DeletionStatus,
  type Failure,
} from '@crate/api';
import { deletionStatusOf, failureBlocker, failureOf, type Pass, type StatusContext } from '@crate/reconcile';
import { classStatus } from './cluster.class.js';
import { clusterConditions, knownReady } from './cluster.conditions.js';
import { childFindings, ownFinding } from './cluster.deletion.js';
import { childFailure } from './cluster.failure.js';
import { knownDrift } from './cluster.drift.js';
import { desiredNodeNames, isNodeOf } from './cluster.nodes.js';
import { clusterPhases } from './cluster.progress.js';
import type { ClusterScope } from './cluster.scope.js';
import { isReadyNow } from './phases/child.js';

/** What a person reads about the cluster after a pass. Pure: facts in, status out. */
export function clusterStatus(scope: ClusterScope, pass: Pass, context: StatusContext): ClusterStatus {
  const { metadata, spec, status: before } = scope.cluster;
  const { traceId } = context;
  const failure = pass.ok ? childFailure(scope) : failureOf(pass.error, { traceId, before: before?.failure });
  const deletion = deletionOf(scope, pass, { ...context, failure });
  const isIdle = spec.paused && metadata.deletionTimestamp === undefined;
  return {
    observedGeneration: pass.ok && !isIdle ? metadata.generation : (before?.observedGeneration ?? 0),
    conditions: [...clusterConditions(scope, pass, { failure: failure?.message, deletion, ...context })],
    // Nothing is begun while the cluster is paused, so it stands where it stood.
    ...(isIdle ? pausedJourney(before) : journeyOf(scope, pass)),
    ...(failure ? { failure } : {}),
    ...(deletion ? { deletion } : {}),
    ...observed(scope),
  };
}

/** What is in the way of the children is in the Cluster's way, and so is what makes its own pass fail. */
function deletionOf(
  scope: ClusterScope,
  pass: Pass,
  { failure, now, warnAfterMs: patienceMs }: StatusContext & { readonly failure: Failure | undefined },
): DeletionStatus | undefined {
  const { cluster, installations = [], kubernetes, infrastructure } = scope;
  const children = [...installations, ...[kubernetes, infrastructure].filter((child) => child !== undefined)];
  const findingContext = { now, patienceMs, clusterLeavesAt: cluster.metadata.deletionTimestamp };
  const { blockers, abandoned } = childFindings(children, findingContext);
  const own = pass.ok ? ownFinding(cluster, pass) : failureBlocker(cluster, failure);
  const given = [...abandoned, ...(scope.abandoned ?? [])];
  return deletionStatusOf(cluster, { blockers: [...own, ...blockers], abandoned: given }, now);
}

function journeyOf(scope: ClusterScope, pass: Pass): Pick<ClusterStatus, 'progress' | 'phases'> {
  const { progress, phases: before } = scope.cluster.status ?? {};
  if (knownReady(scope, pass)) return { progress, phases: before };
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

function pausedJourney(before: ClusterStatus | undefined): Pick<ClusterStatus, 'progress' | 'phases'> {
  const { phases } = before ?? {};
  const { step = 0, steps = 0 } = before?.progress ?? {};
  return { progress: { step, steps, message: 'Paused' }, ...(phases ? { phases } : {}) };
}

/** What the children say, as last heard. */
function observed(scope: ClusterScope): Partial<ClusterStatus> {
  const { kubernetes, installations, cluster } = scope;
  const { version, apiEndpoint, nodes, nodePools, addOns, policy } = cluster.status ?? {};
  return withoutUndefined({
    version: kubernetes?.status?.version ?? version,
    apiEndpoint: kubernetes?.status?.apiEndpoint ?? apiEndpoint,
    nodes: kubernetes ? nodeCounts(cluster, kubernetes) : nodes,
    nodePools: kubernetes ? poolCounts(cluster, kubernetes) : nodePools,
    policy: findingCounts(scope.review) ?? policy,
    drift: knownDrift(scope),
    class: classStatus(scope),
    addOns: installations ? addOnStates(installations) : addOns,
  });
}

/** Undefined when nobody judged. */
function findingCounts(review: ClusterScope['review']): ClusterStatus['policy'] {
  if (!review || review.unanswered) return undefined;
  const { violations } = review;
  const fail = violations.filter(({ effect }) => effect === 'deny').length;
  return { fail, warn: violations.length - fail };
}

function nodeCounts(cluster: Cluster, { status }: NonNullable<ClusterScope['kubernetes']>): ClusterStatus['nodes'] {
  const nodes = status?.nodes ?? [];
  return {
    ready: nodes.filter((node) => node.ready).length,
    // Of a cluster that others make, what is there is what is wanted.
    desired: isExisting(cluster) ? nodes.length : desiredNodeNames(cluster).length,
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
