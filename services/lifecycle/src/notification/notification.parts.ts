import { readFileSync } from 'node:fs';
import { CLUSTER, NOTIFICATION_CHANNEL, PROJECT } from '@crate/api';
import { keepFinalizers, type ServedKind } from '@crate/resource-server';
import type { Foundation, RegisteredReconciler } from '@crate/service-host';
import type { LifecycleConfig } from '../config.js';
import { channelAdmission, NOTIFICATION_CHANNEL_FINALIZER } from './channel.admission.js';
import { channelDeliveries, channelTest } from './channel-deliveries.js';
import { CHANNEL_RECONCILER, ChannelReconciler } from './channel.reconciler.js';
import { ChannelSecretStore } from './channel-secrets.js';
import { ChannelSender } from './channel-sender.js';
import { AddressGuard } from './delivery/address-guard.js';
import { EmailDeliverer } from './delivery/email-deliverer.js';
import { GuardedHttp } from './delivery/guarded-http.js';
import { HttpSender } from './delivery/http-sender.js';
import { SlackDeliverer } from './delivery/slack-deliverer.js';
import { WebhookDeliverer } from './delivery/webhook-deliverer.js';
import { DeliveryLogRetention } from './delivery-log-retention.js';
import { EventFollower } from './event-follower.js';
import { NotificationMetrics, observeBacklog } from './notification-metrics.js';
import { PostgresOutbox } from './postgres-outbox.js';

const USER_AGENT = 'crate-notifications/1';
/** For what is done about an attempt besides waiting for the receiver. */
const CLAIM_MARGIN_MS = 10_000;
/** What becomes due within it is looked into together. */
const GATHER_MS = 20;

/** Everything that notifications are made of. */
export interface NotificationParts {
  readonly kind: ServedKind;
  readonly reconciler: RegisteredReconciler;
  start(): void;
  stop(): Promise<void>;
}

/** Wires notifications into the service. */
export function notificationParts(
  foundation: Foundation,
  config: Pick<LifecycleConfig, 'console' | 'notification' | 'smtp'>,
): NotificationParts {
  const { clients, database, events, hints, logger, metrics, service } = foundation;
  const { notification } = config;
  const channels = clients.for(NOTIFICATION_CHANNEL);
  const projects = clients.for(PROJECT);
  const { repeatMs, queueLength, timeoutMs } = notification;
  const claimMs = timeoutMs + CLAIM_MARGIN_MS;
  const outbox = new PostgresOutbox(database, { reconciler: CHANNEL_RECONCILER, repeatMs, queueLength, claimMs });
  const secrets = new ChannelSecretStore(foundation.secrets);
  const guard = new AddressGuard(notification.allowedNetworks);
  const measured = new NotificationMetrics(metrics);
  observeBacklog(metrics, outbox);
  const sender = new ChannelSender({
    deliverers: deliverersOf(guard, config),
    secrets,
    metrics: measured,
    consoleUrl: config.console.url,
  });
  const { group, kind } = NOTIFICATION_CHANNEL;
  const follower = new EventFollower({
    events: events.store,
    channels,
    projects,
    clusters: clients.for(CLUSTER),
    outbox,
    logger,
    onDropped: (messages) => measured.dropped(messages),
    // Their keys are due already: this has every replica look now, and not at the next poll.
    onTaken: (projects) =>
      hints.publish(projects.map((namespace) => ({ service, group, kind, namespace, name: '', revision: '0' }))),
  });
  const retention = new DeliveryLogRetention(outbox, { keepMs: notification.keepMs, logger });
  return {
    kind: {
      definition: NOTIFICATION_CHANNEL,
      nameFormat: 'dnsLabel',
      admit: [
        channelAdmission({
          secrets,
          projects,
          guard,
          mayBePlain: notification.allowedNetworks.length > 0,
        }),
        keepFinalizers(service, [NOTIFICATION_CHANNEL_FINALIZER]),
      ],
      subresources: { deliveries: channelDeliveries(outbox), test: channelTest(outbox, sender) },
    },
    reconciler: {
      reconciler: new ChannelReconciler({
        channels,
        outbox,
        secrets,
        sender,
        events: events.recorder,
        retry: notification,
        giveUpAfterMs: notification.giveUpAfterMs,
      }),
      kind: NOTIFICATION_CHANNEL,
      options: { concurrency: notification.concurrency },
      hints: {
        kinds: [NOTIFICATION_CHANNEL],
        keysOf: (projects) => outbox.due([...new Set(projects)]),
        gatherMs: GATHER_MS,
      },
    },
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

function deliverersOf(
  guard: AddressGuard,
  { notification, smtp }: Pick<LifecycleConfig, 'notification' | 'smtp'>,
): ConstructorParameters<typeof ChannelSender>[0]['deliverers'] {
  const { timeoutMs, caFile } = notification;
  const ca = caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') };
  const sender = new HttpSender(new GuardedHttp({ guard, timeoutMs, ...ca }), USER_AGENT);
  return {
    webhook: new WebhookDeliverer(sender),
    slack: new SlackDeliverer(sender),
    email: new EmailDeliverer(smtp, timeoutMs),
  };
}
