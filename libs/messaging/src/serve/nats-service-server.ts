import { REPLY_WITHIN_MS } from '@crate/auth';
import { PlatformError } from '@crate/errors';
import type { Logger } from '@crate/telemetry';
import type { Msg, NatsConnection, Subscription } from '@nats-io/nats-core';
import { ServerNats } from '@nestjs/microservices';
import { untilAborted } from '../until-aborted.js';
import { failureEnvelope } from '../call/envelope.js';
import { bodyLimit, TIMEOUT_HEADER, type NestReply } from '../call/wire.js';

const DEFAULT_GRACE_MS = 10_000;
/** What the NATS server may take to answer; one that is away answers nothing, and hears no replies either. */
const SERVER_MS = 2_000;

export interface NatsServiceServerOptions {
  /** Stays open when the server closes: its owner may still have to call others. */
  readonly connection: NatsConnection;
  /** Queue group: each request goes to one replica of the service. */
  readonly service: string;
  readonly logger: Logger;
  /** How long requests at hand may take once the server closes. Default 10,000. */
  readonly graceMs?: number;
}

/** Nest transport strategy on a connection that the service has already, with a graceful end. */
export class NatsServiceServer extends ServerNats {
  private readonly stop = new AbortController();
  private readonly atHand = new Set<Promise<unknown>>();
  private readonly open: Subscription[] = [];
  /** How often the connection was made again. */
  private reconnects = 0;

  constructor(private readonly setup: NatsServiceServerOptions) {
    super({ queue: setup.service });
    void this.countReconnects();
  }

  /** Aborts when no further requests are taken, so that long polls end at once. */
  get closing(): AbortSignal {
    return this.stop.signal;
  }

  override async createNatsClient(): Promise<NatsConnection> {
    return Promise.resolve(this.setup.connection);
  }

  /** Listens once the NATS server knows of it, so that nobody who is told about this service calls in vain. */
  override start(callback: (error?: unknown) => void): void {
    const { connection } = this.setup;
    this.bindEvents(connection);
    connection.flush().then(() => callback(), callback);
  }

  override bindEvents(connection: NatsConnection): void {
    const { service: queue, logger } = this.setup;
    for (const subject of this.messageHandlers.keys()) {
      const callback = (error: Error | null, message: Msg): void => {
        if (error) logger.error('Failing to receive calls', { error, subject });
        else this.track(this.handleMessage(subject, message));
      };
      this.open.push(connection.subscribe(subject, { queue, callback }));
    }
  }

  /** What the connection goes through is logged where it is made. */
  override async handleStatusUpdates(): Promise<void> {
    return Promise.resolve();
  }

  override getPublisher(message: Msg, id: string): (reply: Omit<NestReply, 'id'>) => void {
    const { reconnects } = this;
    const waitedForUntil = performance.now() + timeoutOf(message);
    return (reply) => {
      if (!message.reply || this.setup.connection.isClosed()) return;
      // NATS lets replies through on the connection that the request came over, and for a while: after a pause of the computer, or of
      // NATS, neither may hold. Whoever asked has given up by then, and a refusal would look like somebody trying what is forbidden.
      if (reconnects !== this.reconnects || performance.now() > waitedForUntil) return;
      message.respond(this.fitting({ ...reply, id }, message.subject));
    };
  }

  /** Takes no more requests, lets those at hand finish, and makes sure that their replies are out, unless NATS is away. Idempotent. */
  override async close(): Promise<void> {
    this.stop.abort();
    const { connection, graceMs = DEFAULT_GRACE_MS } = this.setup;
    if (connection.isClosed()) return;
    await within(SERVER_MS, Promise.all(this.open.splice(0).map((subscription) => subscription.drain())));
    await within(graceMs, Promise.all(this.atHand));
    // Nest publishes a reply one tick after its handler ended.
    await new Promise((next) => setImmediate(next));
    await within(SERVER_MS, connection.flush());
  }

  private async countReconnects(): Promise<void> {
    for await (const { type } of this.setup.connection.status()) if (type === 'reconnect') this.reconnects += 1;
  }

  private track(handling: Promise<unknown>): void {
    const done = handling
      .catch((error: unknown) => this.setup.logger.error('Failing to handle a message', { error }))
      .finally(() => this.atHand.delete(done));
    this.atHand.add(done);
  }

  /** A reply that no message can carry becomes an error, or the caller would wait in vain. */
  private fitting(reply: NestReply, subject: string): Uint8Array {
    const payload = Buffer.from(JSON.stringify(reply));
    const limit = bodyLimit(this.setup.connection.info?.max_payload);
    if (payload.byteLength <= limit) return payload;
    this.setup.logger.error('Dropping a reply that is too large', { subject, bytes: payload.byteLength, limit });
    const message = `The answer has ${payload.byteLength} bytes, a message takes ${limit}`;
    // Without a reason it would count as an outage, which watches wait for the end of.
    const response = failureEnvelope(
      new PlatformError('Unavailable', message, { details: { reason: 'AnswerTooLarge' } }),
    );
    return Buffer.from(JSON.stringify({ id: reply.id, response, isDisposed: true }));
  }
}

/** How long its caller waits; whoever does not say waits as long as anybody may. */
function timeoutOf({ headers }: Msg): number {
  const stated = Number(headers?.get(TIMEOUT_HEADER));
  return stated > 0 ? stated : REPLY_WITHIN_MS;
}

/** However it ends, and whether it does. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  await untilAborted(work, AbortSignal.timeout(ms)).catch(() => undefined);
}
