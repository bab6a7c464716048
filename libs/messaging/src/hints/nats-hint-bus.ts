import { subjects } from '@crate/auth';
import type { Logger } from '@crate/telemetry';
import type { Msg, NatsConnection, Subscription } from '@nats-io/nats-core';
import { z } from 'zod';
import { HintBus, type ChangeHint } from '../bus.js';

/** Hints published within this time go out as one message, one per object. */
const COALESCE_MS = 5;
/** Keeps a message far below any payload limit; names are at most 253 characters. */
const HINTS_PER_MESSAGE = 500;

/** What hints look like on the wire. */
export const hintsSchema = z.array(
  z.object({ group: z.string(), kind: z.string(), namespace: z.string(), name: z.string(), revision: z.string() }),
);

export interface NatsHintBusOptions {
  readonly connection: NatsConnection;
  /** This service; it publishes under this name only. */
  readonly service: string;
  /** Services whose hints are heard, this one among them. */
  readonly heard: readonly string[];
  readonly logger: Logger;
}

/** Hints on core NATS: at most once, coalesced, dropped while disconnected. */
export class NatsHintBus extends HintBus {
  private readonly pending = new Map<string, ChangeHint>();
  private readonly listeners = new Set<(hint: ChangeHint) => void>();
  private readonly subscriptions: readonly Subscription[];
  private timer: NodeJS.Timeout | undefined;
  private isConnected = true;

  constructor(private readonly options: NatsHintBusOptions) {
    super();
    const { connection, heard } = options;
    this.subscriptions = heard.map((service) =>
      connection.subscribe(subjects.hints(service), {
        callback: (error, message) => (error ? undefined : this.receive(service, message)),
      }),
    );
    void this.followConnection();
  }

  override publish(hints: readonly ChangeHint[]): void {
    // The client would buffer without bound, and hints older than the outage help nobody: the resync finds the work.
    if (!this.isConnected) return;
    for (const hint of hints) this.pending.set([hint.group, hint.kind, hint.namespace, hint.name].join('/'), hint);
    if (this.pending.size > 0) this.timer ??= setTimeout(() => this.flush(), COALESCE_MS);
  }

  override subscribe(listener: (hint: ChangeHint) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Sends what is pending and stops listening. */
  close(): void {
    this.flush();
    for (const subscription of this.subscriptions) subscription.unsubscribe();
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const hints = [...this.pending.values()];
    this.pending.clear();
    if (!this.isConnected || this.options.connection.isClosed()) return;
    for (let start = 0; start < hints.length; start += HINTS_PER_MESSAGE) {
      const message = JSON.stringify(hints.slice(start, start + HINTS_PER_MESSAGE));
      this.options.connection.publish(subjects.hints(this.options.service), message);
    }
  }

  private receive(service: string, message: Msg): void {
    try {
      // The sender is who may publish on the subject, whatever the message says.
      for (const hint of hintsSchema.parse(message.json())) this.deliver({ ...hint, service });
    } catch (error) {
      this.options.logger.warn('Ignoring a malformed hint', { error, service });
    }
  }

  private deliver(hint: ChangeHint): void {
    for (const listener of this.listeners) listener(hint);
  }

  private async followConnection(): Promise<void> {
    for await (const status of this.options.connection.status()) {
      if (status.type === 'disconnect') this.isConnected = false;
      if (status.type === 'reconnect') this.isConnected = true;
    }
  }
}
