import type { NotificationChannel, NotificationDelivery } from '@crate/api';

type Webhook = NonNullable<NotificationChannel['spec']['webhook']>;

interface ChannelWish {
  readonly name?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly paused?: boolean;
  /** What the last attempt came to. */
  readonly failing?: string;
  readonly spec?: Partial<Pick<NotificationChannel['spec'], 'type' | 'slack'>> & Pick<Webhook, 'headers'>;
}

/** A channel that delivers, as the API shows it: without its secrets. */
export function aChannel({
  name = 'alerts',
  resourceVersion = '1',
  generation = 1,
  paused = false,
  failing,
  spec: { headers, ...spec } = {},
}: ChannelWish = {}): NotificationChannel {
  const webhook = { url: 'https://hooks.example.org/crate', ...(headers ? { headers } : {}) };
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'NotificationChannel',
    metadata: {
      name,
      namespace: 'team-a',
      uid: 'c1',
      resourceVersion,
      generation,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {
      type: 'webhook',
      ...(spec.type === undefined ? { webhook } : {}),
      severities: ['Critical', 'Warning'],
      paused,
      ...spec,
    },
    status: {
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Ready', message: '' },
        failing === undefined
          ? { type: 'Delivering', status: 'True', reason: 'Delivered', message: '' }
          : { type: 'Delivering', status: 'False', reason: 'DeliveryFailed', message: failing },
      ],
      pending: 1,
      failed: 2,
      dropped: 0,
    },
  } as NotificationChannel;
}

/** A message that was given up. */
export function aDelivery(): NotificationDelivery {
  return {
    id: 'd1',
    state: 'Failed',
    type: 'dev.crate.cluster.NotReady',
    severity: 'Critical',
    object: 'Cluster/demo',
    reason: 'NotReady',
    message: 'It was ready, and is not',
    occurrences: 3,
    createdAt: '2026-01-01T00:00:00Z',
    attempts: [
      { attempt: 1, at: '2026-01-01T00:00:00Z', outcome: 'Retry', httpStatus: 503, milliseconds: 12, detail: 'Busy' },
      { attempt: 2, at: '2026-01-01T00:01:00Z', outcome: 'Failed', httpStatus: 410, detail: 'No such receiver' },
    ],
  };
}
