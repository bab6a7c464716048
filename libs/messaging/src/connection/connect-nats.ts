import { setTimeout as delay } from 'node:timers/promises';
import { unauthenticated } from '@crate/errors';
import type { Logger } from '@crate/telemetry';
import { AuthorizationError, type NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { logStatus } from './log-status.js';

const RECONNECT_MS = 250;
const RECONNECT_JITTER_MS = 750;
/** A peer that vanished without closing its socket is noticed after two pings. */
const PING_INTERVAL_MS = 10_000;

export interface ConnectNatsOptions {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Shown in the server's connection list. */
  readonly name: string;
  /** The service's private one; see `inboxPrefix` of @crate/auth. */
  readonly inboxPrefix: string;
  readonly logger: Logger;
  /** Gives up waiting for the first connection. */
  readonly signal?: AbortSignal;
}

/**
 * Connects, and reconnects for ever with jitter. Waits for a server that is not up yet;
 * throws Unauthenticated when the server refuses the credentials.
 */
export async function connectNats(options: ConnectNatsOptions): Promise<NatsConnection> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const connection = await connectOnce(options);
      void logStatus(connection, options.logger);
      return connection;
    } catch (error) {
      if (error instanceof AuthorizationError) throw unauthenticated('NATS refused the credentials', error);
      options.signal?.throwIfAborted();
      if (attempt === 0) options.logger.warn('Waiting for NATS', { error });
    }
    await delay(RECONNECT_MS + Math.random() * RECONNECT_JITTER_MS, undefined, { signal: options.signal });
  }
}

async function connectOnce(options: ConnectNatsOptions): Promise<NatsConnection> {
  return connect({
    servers: options.url,
    user: options.user,
    pass: options.password,
    name: options.name,
    inboxPrefix: options.inboxPrefix,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: RECONNECT_JITTER_MS,
    pingInterval: PING_INTERVAL_MS,
    ignoreClusterUpdates: true,
    // While a password is being rotated, server and client disagree for a moment; that must not end the process.
    ignoreAuthErrorAbort: true,
  });
}
