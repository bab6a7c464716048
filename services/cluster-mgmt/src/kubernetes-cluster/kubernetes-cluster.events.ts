import type { KubernetesCluster } from '@crate/api';
import { nameSome, type ConditionTellings, type EventDraft } from '@crate/reconcile';

/** What people are told of the conditions; a Cluster tells the same of itself. */
export const KUBERNETES_CLUSTER_TELLINGS: ConditionTellings<KubernetesCluster> = {
  ControlPlaneReady: {
    becameTrue: () => internal('Normal', 'ControlPlaneReady', 'The control plane answers'),
    becameUntrue: ({ metadata }, { reason, message }) =>
      metadata.deletionTimestamp ? undefined : internal('Warning', reason, message),
  },
  Ready: { becameTrue: () => internal('Normal', 'Ready', 'The control plane answers and all nodes are ready') },
  PolicyCompliant: {
    // A pass that fails for it tells it itself.
    becameFalse: ({ status }, { message }) =>
      status?.failure?.code === 'PolicyDenied' ? undefined : internal('Warning', 'PolicyViolated', message),
  },
  Deleting: { becameTrue: () => internal('Normal', 'Deleting', 'Deletion was asked for') },
};

/** Told once nothing is left on the machines. */
export const KUBERNETES_REMOVED: EventDraft = {
  type: 'Normal',
  reason: 'KubernetesRemoved',
  message: 'Kubernetes is taken off the machines',
};

/** Told when machines that do not cooperate hold a deletion up no longer. */
export const REMOVAL_GIVEN_UP: EventDraft = {
  type: 'Warning',
  reason: 'RemovalGivenUp',
  message: 'The machines do not let the engine in; they are deleted with what they carry',
};

/** Told when a cluster does not take its load balancers and volumes away itself. */
export const LEFT_TO_THE_CLOUD: EventDraft = {
  type: 'Warning',
  reason: 'LeftToTheCloud',
  message: 'The cluster did not take all of its load balancers and volumes away; they are looked after at the provider',
};

/** What a pass changed on the machines: what was applied to them, and which nodes came and went. */
export function machineEvents(before: KubernetesCluster, after: KubernetesCluster): readonly EventDraft[] {
  const was = before.status?.nodes ?? [];
  const is = after.status?.nodes ?? [];
  const wasReady = new Set(was.filter(({ ready }) => ready).map(({ name }) => name));
  const known = new Set(is.map(({ name }) => name));
  const news = (isReady: boolean): string[] =>
    is.filter(({ name, ready }) => ready === isReady && wasReady.has(name) !== isReady).map(({ name }) => name);
  return [
    ...applied(before, after),
    ...about('Normal', 'NodeReady', news(true), 'Ready'),
    ...about(
      'Warning',
      'NodeNotReady',
      news(false).filter((name) => wasReady.has(name)),
      'Not ready any more, as kubectl describe node explains',
    ),
    ...about(
      'Normal',
      'NodeRemoved',
      was.map(({ name }) => name).filter((name) => !known.has(name)),
      'Left the cluster',
    ),
  ];
}

function applied({ status: before }: KubernetesCluster, { status: after, spec }: KubernetesCluster): EventDraft[] {
  if (after?.appliedHash === undefined || after.appliedHash === before?.appliedHash) return [];
  const count = spec.nodes.length;
  const message = `Kubernetes ${spec.version ?? ''} is on ${count} machine${count === 1 ? '' : 's'}`;
  return [{ type: 'Normal', reason: 'KubernetesApplied', message }];
}

function about(type: EventDraft['type'], reason: string, nodes: readonly string[], text: string): EventDraft[] {
  return nodes.length === 0 ? [] : [{ type, reason, message: `${text}: ${nameSome(nodes)}` }];
}

function internal(type: EventDraft['type'], reason: string, message: string): EventDraft {
  return { type, reason, message, isInternal: true };
}
