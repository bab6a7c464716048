import { CLUSTER, CLUSTER_NAME_LABEL, CLUSTER_UID_LABEL, apiVersionOf, type EventObject } from '@crate/api';
import { eventName } from '@crate/events';

/** The event as it is kept here, and once more about the Cluster that its object was made for. */
export function gathered(event: EventObject): readonly EventObject[] {
  const copy = withoutIdentity(event, event.metadata.name);
  const about = clusterOf(event);
  return about ? [copy, about] : [copy];
}

/** `kubectl describe cluster` shows what is about the Cluster itself; what its children tell is a part of that. */
function clusterOf(event: EventObject): EventObject | undefined {
  const { labels = {}, name, namespace } = event.metadata;
  const { [CLUSTER_NAME_LABEL]: clusterName, [CLUSTER_UID_LABEL]: clusterUid } = labels;
  if (clusterName === undefined || clusterUid === undefined || namespace === undefined) return undefined;
  return {
    ...withoutIdentity(event, eventName(clusterName, [clusterUid, name])),
    involvedObject: {
      apiVersion: apiVersionOf(CLUSTER),
      kind: CLUSTER.kind,
      namespace,
      name: clusterName,
      uid: clusterUid,
    },
    related: event.involvedObject,
  };
}

/** The store gives each copy a uid and version of its own. */
function withoutIdentity(event: EventObject, name: string): EventObject {
  const { namespace, labels, annotations } = event.metadata;
  const metadata = { name, namespace, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
  return { ...event, metadata: metadata as EventObject['metadata'] };
}
