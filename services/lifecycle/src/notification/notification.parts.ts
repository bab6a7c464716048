import { CLUSTER, NOTIFICATION_CHANNEL, PROJECT } from '@crate/api';
import { UNCHANGED } from '@crate/messaging';
import { keepFinalizers, refuseTakenName, type ServedKind } from '@crate/resource-server';
import type { Foundation, RegisteredReconciler } from '@crate/service-host';
import type { LifecycleConfig } from '../config.js';
import { channelAdmission, NOTIFICATION_CHANNEL_FINALIZER } from './channel.admission.js';
import { channelDeliveries, channelTest } from './channel-deliveries.js';
import { CHANNEL_RECONCILER, ChannelReconciler } from './channel.reconciler.js';
import { ChannelSecretStore } from './channel-secrets.js';
import { ChannelSender } from './channel-sender.js';
import { AddressGuard } from './delivery/address-guard.js';
import { deliverersOf } from './delivery/deliverers.js';
import { DeliveryLogRetention } from './delivery-log-retention.js';
import { EventFollower } from './event-follower.js';
import { NotificationMetrics, observeBacklog, observeFailingChannels } from './notification-metrics.js';
import type { ChannelName, Outbox } from './outbox.js';
import { PostgresOutbox } from './postgres-outbox.js';

/** Of a pass: its turn, and the longest attempt that begins at the end of it. */
const DEADLINES = { remoteDeadlineMs: 60_000, deadlineMs: 75_000 };
/** What becomes due within it is looked into together. */
const GATHER_MS = 20;

/** Everything that notifications are made of. */
export interface NotificationParts {
  readonly kind: ServedKind;
  readonly reconciler: RegisteredReconciler;
  start(): void;
  stop(): Promise<void>;
}

type Config = Pick<LifecycleConfig, 'console' | 'events' | 'notification' | 'smtp'>;

/** What messages go through, from the channel that wants them to the receiver. */
interface Delivery {
  readonly outbox: PostgresOutbox;
  readonly secrets: ChannelSecretStore;
  readonly guard: AddressGuard;
  readonly sender: ChannelSender;
}

/** Wires notifications into the service. */
export function notificationParts(foundation: Foundation, config: Config): NotificationParts {
  const metrics = new NotificationMetrics(foundation.metrics);
  const delivery = deliveryOf(foundation, config, metrics);
  const { outbox } = delivery;
  const channels = foundation.clients.for(NOTIFICATION_CHANNEL);
  observeBacklog(foundation.metrics, outbox, channels);
  observeFailingChannels(foundation.metrics, channels);
  const follower = followerOf(foundation, outbox, metrics);
  const { keepMs } = config.notification;
  const retention = new DeliveryLogRetention(outbox, { keepMs, logger: foundation.logger });
  return {
    kind: servedChannels(foundation, config, delivery),
    reconciler: channelReconciler(foundation, config, delivery),
    start: () => {
      follower.start();
      retention.start();
    },
    stop: async () => {
      await follower.stop();
      await retention.stop();
    },
  };
}

function deliveryOf(foundation: Foundation, config: Config, metrics: NotificationMetrics): Delivery {
  const { repeatMs, queueLength, allowedNetworks } = config.notification;
  const secrets = new ChannelSecretStore(foundation.secrets);
  const guard = new AddressGuard(allowedNetworks);
  const deliverers = deliverersOf(guard, config);
  // No other replica sends a message again while the pass that sends it may go on, however long its receiver takes: unless it lost its lease.
  const queue = { reconciler: CHANNEL_RECONCILER, repeatMs, queueLength, claimMs: DEADLINES.deadlineMs };
  return {
    outbox: new PostgresOutbox(foundation.database, { ...queue, eventsKeptMs: config.events.keepMs }),
    secrets,
    guard,
    sender: new ChannelSender({ deliverers, secrets, metrics, consoleUrl: config.console.url }),
  };
}

function followerOf(foundation: Foundation, outbox: Outbox, metrics: NotificationMetrics): EventFollower {
  const { clients, events, hints, logger, service } = foundation;
  const { group, kind } = NOTIFICATION_CHANNEL;
  return new EventFollower({
    events: events.store,
    channels: clients.for(NOTIFICATION_CHANNEL),
    projects: clients.for(PROJECT),
    clusters: clients.for(CLUSTER),
    outbox,
    logger,
    onDropped: (messages) => metrics.dropped(messages),
    // Their keys are due already: this has every replica look now, and not at the next poll.
    onTaken: (projects) =>
      hints.publish(projects.map((namespace) => ({ service, group, kind, namespace, name: '', revision: UNCHANGED }))),
  });
}

function servedChannels(
  { clients, hints, queue, service }: Foundation,
  { notification }: Config,
  { outbox, secrets, guard, sender }: Delivery,
): ServedKind {
  const mayBePlain = notification.allowedNetworks.length > 0;
  const onEnd = async ({ project: namespace, name }: ChannelName): Promise<void> => {
    const { group, kind } = NOTIFICATION_CHANNEL;
    await queue.enqueue(CHANNEL_RECONCILER, [{ namespace, name }]);
    // Nothing of the channel itself changed, so nobody else tells the loops that there is work.
    hints.publish([{ service, group, kind, namespace, name, revision: UNCHANGED }]);
  };
  return {
    definition: NOTIFICATION_CHANNEL,
    nameFormat: 'dnsLabel',
    admit: [
      refuseTakenName(clients.for(NOTIFICATION_CHANNEL)),
      channelAdmission({ secrets, projects: clients.for(PROJECT), guard, mayBePlain }),
      keepFinalizers(service, [NOTIFICATION_CHANNEL_FINALIZER]),
    ],
    subresources: { deliveries: channelDeliveries(outbox), test: channelTest({ outbox, sender, onEnd }) },
  };
}

function channelReconciler(
  { clients, events }: Foundation,
  { notification }: Config,
  { outbox, secrets, sender }: Delivery,
): RegisteredReconciler {
  return {
    reconciler: new ChannelReconciler({
      channels: clients.for(NOTIFICATION_CHANNEL),
      outbox,
      secrets,
      sender,
      events: events.recorder,
      retry: notification,
      giveUpAfterMs: notification.giveUpAfterMs,
    }),
    kind: NOTIFICATION_CHANNEL,
    options: { concurrency: notification.concurrency, ...DEADLINES },
    hints: {
      kinds: [NOTIFICATION_CHANNEL],
      keysOf: (projects) => outbox.due([...new Set(projects)]),
      gatherMs: GATHER_MS,
    },
  };
}
