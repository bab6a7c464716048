import {
  CLUSTER_NAME_LABEL,
  CLUSTER_UID_LABEL,
  NOTIFICATION_CHANNEL,
  type EventObject,
  type NotificationChannel,
  type OwnerReference,
} from '@crate/api';
import type { ChannelName } from '../outbox.js';
import type { Telling } from '../telling.js';

/** Names the Project of the channel that `aChannel` builds. */
export const TEAM_A: OwnerReference = {
  apiVersion: 'lifecycle.crate.dev/v1alpha1',
  kind: 'Project',
  name: 'team-a',
  uid: 'team-a-uid',
};

/** Builds a valid channel of Project `team-a`. */
export function aChannel(
  spec: Record<string, unknown> = {},
  metadata: Partial<NotificationChannel['metadata']> = {},
): NotificationChannel {
  const webhook = { type: 'webhook', webhook: { url: 'https://hooks.example.org/crate' } };
  const parsed = NOTIFICATION_CHANNEL.body.parse({ spec: { ...webhook, ...spec } }) as Pick<
    NotificationChannel,
    'spec'
  >;
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'NotificationChannel',
    metadata: {
      name: 'alerts',
      namespace: 'team-a',
      uid: 'channel-uid',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-11-21T09:00:00Z',
      ownerReferences: [TEAM_A],
      ...metadata,
    },
    ...parsed,
  };
}

/** Names the channel that `aChannel` builds. */
export const ALERTS: ChannelName = { uid: 'channel-uid', project: 'team-a', name: 'alerts' };

/** A failure of cluster `demo`, as lifecycle keeps what another service told. */
export function aFailure(changes: Partial<EventObject> = {}): EventObject {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: 'demo.0123',
      namespace: 'team-a',
      uid: 'event-uid',
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: '2026-11-21T10:00:00Z',
      labels: { [CLUSTER_NAME_LABEL]: 'demo', [CLUSTER_UID_LABEL]: 'cluster-uid' },
      annotations: { 'crate.dev/trace-id': 'trace-1' },
    },
    involvedObject: { kind: 'Cluster', name: 'demo', namespace: 'team-a', uid: 'cluster-uid' },
    related: { kind: 'Infrastructure', name: 'demo', namespace: 'team-a', uid: 'infrastructure-uid' },
    type: 'Warning',
    reason: 'QuotaExceeded',
    message: 'The quota of machines is spent; field: spec.nodePools[0].replicas; what to do: Ask for a higher quota',
    count: 3,
    firstTimestamp: '2026-11-21T10:00:00.000Z',
    lastTimestamp: '2026-11-21T10:05:00.000Z',
    source: { component: 'cloud-mgmt' },
    ...changes,
  };
}

/** What it has to tell. */
export function aTelling(changes: Partial<Telling> = {}): Telling {
  return {
    project: 'team-a',
    object: { kind: 'Cluster', name: 'demo', uid: 'cluster-uid' },
    cluster: { name: 'demo', uid: 'cluster-uid' },
    severity: 'Warning',
    reason: 'QuotaExceeded',
    message: 'The quota of machines is spent',
    whatToDo: 'Ask for a higher quota',
    count: 1,
    firstAt: '2026-11-21T10:00:00.000Z',
    lastAt: '2026-11-21T10:00:00.000Z',
    traceId: 'trace-1',
    ...changes,
  };
}
