import type { NotificationChannel, NotificationType } from '@crate/api';
import type { ChannelSecretStore } from './channel-secrets.js';
import { hasCode } from '@crate/errors';
import { isKeyMissing } from '@crate/secrets';
import type { Deliverer, Hindrance } from './delivery/deliverer.js';
import type { NotificationMetrics } from './notification-metrics.js';
import type { EndedAttempt, Message } from './outbox.js';
import type { Telling } from './telling.js';

export interface ChannelSenderOptions {
  readonly deliverers: Readonly<Record<NotificationType, Deliverer>>;
  readonly secrets: ChannelSecretStore;
  readonly metrics: NotificationMetrics;
  /** Where browsers reach the platform; absent: messages have no link. */
  readonly consoleUrl?: string | undefined;
  readonly now?: () => number;
}

/** Makes one attempt. */
export class ChannelSender {
  private readonly now: () => number;

  constructor(private readonly options: ChannelSenderOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /** Why nothing can be sent, whatever it is. */
  async hindrance(channel: NotificationChannel): Promise<Hindrance | undefined> {
    try {
      const secrets = await this.options.secrets.of(channel);
      return this.options.deliverers[channel.spec.type].hindrance(channel, secrets);
    } catch (error) {
      const why = unreadable(error);
      if (why) return why;
      throw error;
    }
  }

  /** What came of it; rejects only when the signal ended it. */
  async send(
    channel: NotificationChannel,
    message: Pick<Message, 'id' | 'telling' | 'occurrences' | 'outstanding'>,
    signal: AbortSignal,
  ): Promise<EndedAttempt> {
    const { type } = channel.spec;
    const secrets = await this.options.secrets.of(channel);
    const { id, telling, occurrences, outstanding } = message;
    const link = this.linkTo(telling);
    const notice = { id, telling, occurrences, ...(link === undefined ? {} : { link }) };
    const began = this.now();
    const delivery = { channel, secrets, notice, signal, ...(outstanding === undefined ? {} : { outstanding }) };
    const outcome = await this.options.deliverers[type].deliver(delivery);
    const tookMs = this.now() - began;
    this.options.metrics.ended(type, outcome.kind, tookMs);
    return { ...outcome, tookMs };
  }

  private linkTo({ project, cluster }: Telling): string | undefined {
    const { consoleUrl } = this.options;
    if (consoleUrl === undefined) return undefined;
    const page = cluster
      ? `clusters/${encodeURIComponent(project)}/${encodeURIComponent(cluster.name)}`
      : `projects/${encodeURIComponent(project)}`;
    return `${consoleUrl.replace(/\/$/, '')}/console/${page}`;
  }
}

/** Undefined for what passes by itself, such as a database that is away. */
function unreadable(error: unknown): Hindrance | undefined {
  if (isKeyMissing(error)) {
    const message =
      'The key that the secrets of the channel are encrypted with is not there: its operators put it back';
    return { reason: 'EncryptionKeyMissing', message };
  }
  if (!hasCode(error, 'Invariant')) return undefined;
  return { reason: 'SecretsUnreadable', message: 'The stored secrets of the channel do not open: state them again' };
}
