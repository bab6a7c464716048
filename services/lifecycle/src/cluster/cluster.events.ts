import { findCondition, type Cluster, type Condition } from '@crate/api';
import { nameSome, type ConditionTellings, type EventDraft } from '@crate/reconcile';

/** What people are told of a cluster's conditions. What its children meet is told by them. */
export const CLUSTER_TELLINGS: ConditionTellings<Cluster> = {
  PolicyCompliant: {
    // Of a paused one only that it is so again: nothing comes of it now.
    becameTrue: ({ spec }, { message }, before) =>
      spec.paused && findCondition(before.status?.conditions, 'PolicyCompliant')?.status !== 'False'
        ? undefined
        : normal('PolicyCompliant', message ? `Policies allow it: ${message}` : 'Policies allow it'),
    // A pass that fails for it tells it itself.
    becameFalse: ({ status }, condition) =>
      status?.failure?.code === 'PolicyDenied' ? undefined : warning('PolicyViolated', condition),
  },
  InfrastructureReady: { becameTrue: () => normal('InfrastructureReady', 'All cloud resources are in place') },
  ControlPlaneReady: {
    becameTrue: ({ status }) =>
      normal('ControlPlaneReady', `The control plane answers${status?.apiEndpoint ? ` at ${status.apiEndpoint}` : ''}`),
    becameUntrue: unlessDeleting((condition) => warning('ControlPlaneNotReady', condition)),
  },
  NodesReady: {
    becameTrue: ({ status }) =>
      normal(
        'NodesReady',
        status?.nodes ? `${status.nodes.ready} of ${status.nodes.desired} nodes are ready` : 'All nodes are ready',
      ),
  },
  AddOnsReady: { becameTrue: ({ status }) => normal('AddOnsReady', addOnsText(status?.addOns ?? [])) },
  Ready: {
    becameTrue: ({ status }) =>
      normal('Ready', `The cluster is ready${status?.version ? `, Kubernetes ${status.version}` : ''}`),
    becameUntrue: unlessDeleting((condition, { metadata }, before) => {
      const isAskedFor = (before.status?.observedGeneration ?? 0) < metadata.generation;
      return isAskedFor
        ? normal('Updating', 'Working on what was changed in the spec')
        : warning('NotReady', condition);
    }),
  },
  Paused: {
    becameTrue: () => normal('Paused', 'Nothing is changed until spec.paused is set back'),
    becameUntrue: () => normal('Resumed', 'Changes are made again'),
  },
  Deleting: {
    becameTrue: () =>
      normal('Deleting', 'Deletion was asked for: add-ons go first, then Kubernetes, then the cloud resources'),
  },
};

/** Told once nothing of the cluster is left. */
export const CLUSTER_DELETED: EventDraft = {
  type: 'Normal',
  reason: 'Deleted',
  message: 'Nothing of the cluster is left',
};

function unlessDeleting(
  telling: (condition: Condition, after: Cluster, before: Cluster) => EventDraft,
): (after: Cluster, condition: Condition, before: Cluster) => EventDraft | undefined {
  return (after, condition, before) =>
    after.metadata.deletionTimestamp ? undefined : telling(condition, after, before);
}

function normal(reason: string, message: string): EventDraft {
  return { type: 'Normal', reason, message };
}

function warning(reason: string, condition: Condition): EventDraft {
  return { type: 'Warning', reason, message: condition.message || condition.reason };
}

function addOnsText(addOns: readonly { readonly name: string; readonly version: string }[]): string {
  if (addOns.length === 0) return 'No add-ons were asked for';
  return `Ready: ${nameSome(addOns.map(({ name, version }) => `${name} ${version}`))}`;
}
