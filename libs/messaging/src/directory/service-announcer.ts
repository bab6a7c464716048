import { randomUUID } from 'node:crypto';
import { subjects, TOKEN_HEADER, type ServiceTokenIssuer } from '@crate/auth';
import type { KindInfo } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';
import { headers, type NatsConnection, type Subscription } from '@nats-io/nats-core';
import { ANNOUNCE_EVERY_MS, type Announcement } from './announcement.js';

export interface ServiceAnnouncerOptions {
  readonly connection: NatsConnection;
  readonly service: string;
  readonly tokens: ServiceTokenIssuer;
  readonly kinds: readonly KindInfo[];
  readonly logger: Logger;
}

/** Says which kinds this service serves: when it starts, when asked, and now and then. */
export class ServiceAnnouncer {
  private readonly body: string;
  private subscription: Subscription | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: ServiceAnnouncerOptions) {
    const announcement: Announcement = { replica: randomUUID(), kinds: options.kinds };
    this.body = JSON.stringify(announcement);
  }

  /** Call once requests can be answered. */
  start(): void {
    const { connection } = this.options;
    this.subscription = connection.subscribe(subjects.discovery, { callback: () => this.announce() });
    this.timer = setInterval(() => this.announce(), ANNOUNCE_EVERY_MS);
    this.timer.unref();
    this.announce();
  }

  stop(): void {
    clearInterval(this.timer);
    this.subscription?.unsubscribe();
  }

  private announce(): void {
    const { connection, service, tokens, logger } = this.options;
    try {
      const signed = headers();
      signed.set(TOKEN_HEADER, tokens.issueAnnouncement());
      connection.publish(subjects.announce(service), this.body, { headers: signed });
    } catch (error) {
      // The next round tries again; a closed connection ends in its owner's hands.
      logger.warn('Failing to announce', { error });
    }
  }
}
