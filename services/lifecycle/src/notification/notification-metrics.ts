import { NOTIFICATION_TYPES, type NotificationChannel, type NotificationType } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import type { Counter, Histogram, Metrics } from '@crate/telemetry';
import { isFailing, maySend } from './channel.status.js';
import type { Outbox, Outcome } from './outbox.js';

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const OUTCOMES = ['Delivered', 'Retry', 'Failed'] as const satisfies readonly Outcome['kind'][];

/** How notifications go. */
export class NotificationMetrics {
  private readonly attempts: Counter;
  private readonly seconds: Histogram;
  private readonly drops: Counter;

  constructor(metrics: Metrics) {
    this.attempts = metrics.counter({
      name: 'crate_notification_attempts_total',
      help: 'Attempts to deliver a message, by the way it goes and by what came of it.',
      labels: ['type', 'outcome'],
    });
    this.seconds = metrics.histogram({
      name: 'crate_notification_attempt_seconds',
      help: 'How long receivers of messages took to answer.',
      labels: ['type'],
      buckets: SECONDS,
    });
    for (const type of NOTIFICATION_TYPES) {
      this.seconds.start({ type });
      for (const outcome of OUTCOMES) this.attempts.add(0, { type, outcome: outcome.toLowerCase() });
    }
    this.drops = metrics.counter({
      name: 'crate_notifications_dropped_total',
      help: 'Messages that were never tried, because too many of one channel waited.',
    });
  }

  /** An attempt ended. */
  ended(type: NotificationType, outcome: Outcome['kind'], tookMs: number): void {
    this.attempts.add(1, { type, outcome: outcome.toLowerCase() });
    this.seconds.observe(tookMs / 1_000, { type });
  }

  /** Messages were dropped. */
  dropped(messages: number): void {
    this.drops.add(messages);
  }
}

/** Tells how many channels deliver nothing, for their receiver or for what is on the way to it; every replica tells the same. */
export function observeFailingChannels(
  metrics: Metrics,
  channels: Pick<TypedClient<NotificationChannel>, 'list'>,
): void {
  metrics.gauge({
    name: 'crate_notification_failing_channels',
    help: 'Channels that may send and whose last attempt did not get through, by the way they go; every replica tells the same.',
    labels: ['type'],
    collect: async (gauge) => {
      const failing = (await channels.list()).filter(isFailing);
      for (const type of NOTIFICATION_TYPES)
        gauge.set(failing.filter(({ spec }) => spec.type === type).length, { type });
    },
  });
}

/** Tells how much waits that may be sent, and for how long; every replica tells the same. */
export function observeBacklog(
  metrics: Metrics,
  outbox: Pick<Outbox, 'backlog'>,
  channels: Pick<TypedClient<NotificationChannel>, 'list'>,
): void {
  const backlog = async (): ReturnType<Outbox['backlog']> => {
    const silent = (await channels.list()).filter((channel) => !maySend(channel));
    return outbox.backlog(silent.map(({ metadata }) => metadata.uid));
  };
  metrics.gauge({
    name: 'crate_notifications_pending',
    help: 'Messages that wait to be delivered, without channels that are paused or can send nothing; every replica tells the same.',
    collect: async (gauge) => gauge.set((await backlog()).pending),
  });
  metrics.gauge({
    name: 'crate_notification_oldest_pending_age_seconds',
    help: 'How long the message of these waits that waits longest; every replica tells the same.',
    collect: async (gauge) => gauge.set((await backlog()).oldestAgeMs / 1_000),
  });
}
