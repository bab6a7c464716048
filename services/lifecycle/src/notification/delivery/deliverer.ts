import type { NotificationChannel } from '@crate/api';
import type { ChannelSecrets } from '../channel-secrets.js';
import type { Outcome } from '../outbox.js';
import type { Notice } from './cloud-event.js';

/** What a delivery needs to know. */
export interface Delivery {
  readonly channel: NotificationChannel;
  readonly secrets: ChannelSecrets;
  readonly notice: Notice;
  /** Who of several has not taken it yet; absent: all are asked. */
  readonly outstanding?: readonly string[];
  readonly signal: AbortSignal;
}

/** Why nothing can be sent. */
export interface Hindrance {
  readonly reason: string;
  readonly message: string;
}

/** Sends messages one way. */
export abstract class Deliverer {
  /** Why nothing can be sent, whatever the message; undefined when it can. No I/O. */
  abstract hindrance(channel: NotificationChannel, secrets: ChannelSecrets): Hindrance | undefined;
  /** One attempt. Rejects only when the signal ended it. */
  abstract deliver(delivery: Delivery): Promise<Outcome>;
}
