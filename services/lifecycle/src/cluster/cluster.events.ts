import { findCondition, isExisting, type Cluster, type Condition } from '@crate/api';
import { failureEvent, nameSome, type ConditionTellings, type EventDraft } from '@crate/reconcile';

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
    becameUntrue: unlessDeleting((condition, cluster) =>
      failureEvent({
        code: 'ControlPlaneNotReady',
        message: wordsOf(condition),
        remedy: checkMachines(cluster),
      }),
    ),
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
    becameUntrue: unlessDeleting((condition, after, before) => {
      const isAskedFor = (before.status?.observedGeneration ?? 0) < after.metadata.generation;
      return isAskedFor ? normal('Updating', 'Working on what was changed in the spec') : notReady(after, condition);
    }),
  },
  Paused: {
    becameTrue: () => normal('Paused', 'Nothing is begun until spec.paused is set back'),
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

/** In the order of the journey: what is in the way is in the first that does not hold. */
const JOURNEY = ['PolicyCompliant', 'InfrastructureReady', 'ControlPlaneReady', 'NodesReady', 'AddOnsReady'];

const REMEDIES: Readonly<Record<string, (cluster: Cluster) => string>> = {
  InfrastructureReady: (cluster) => `See what the last run met: crate logs ${named(cluster)} --tail 50`,
  ControlPlaneReady: checkMachines,
  NodesReady: checkMachines,
};

/** Told to whoever is on call: what is wrong, not that work is under way, and what to do about it. */
function notReady(cluster: Cluster, ready: Condition): EventDraft {
  const { conditions, failure } = cluster.status ?? {};
  if (failure) return failureEvent({ ...failure, code: 'NotReady' });
  const causes = JOURNEY.map((type) => findCondition(conditions, type)).filter((each) => each !== undefined);
  const cause = causes.find(({ status }) => status !== 'True');
  const remedy = cause && REMEDIES[cause.type]?.(cluster);
  return failureEvent({
    code: 'NotReady',
    message: cause ? `${cause.type}: ${wordsOf(cause)}` : wordsOf(ready),
    remedy: remedy ?? `See all of it: crate describe ${named(cluster)}`,
  });
}

function wordsOf({ message, reason }: Condition): string {
  return message || reason;
}

function checkMachines(cluster: Cluster): string {
  // Of machines that others make Crate knows what their Kubernetes says.
  if (isExisting(cluster)) return `See its nodes: crate describe ${named(cluster)}`;
  const { name, namespace } = cluster.metadata;
  const object = `${name} -n ${namespace}`;
  return `See whether its machines are still there: crate drift check ${object}; what is gone comes back by: crate drift correct ${object}`;
}

function named({ metadata }: Cluster): string {
  return `cluster/${metadata.name} -n ${metadata.namespace}`;
}

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
  return { type: 'Warning', reason, message: wordsOf(condition) };
}

function addOnsText(addOns: readonly { readonly name: string; readonly version: string }[]): string {
  if (addOns.length === 0) return 'No add-ons were asked for';
  return `Ready: ${nameSome(addOns.map(({ name, version }) => `${name} ${version}`))}`;
}
