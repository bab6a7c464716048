import { setTimeout as delay } from 'node:timers/promises';
import { unauthenticated } from '@crate/errors';
import type { Logger } from '@crate/telemetry';
import { AuthorizationError, type NatsConnection, type TlsOptions } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { FailureNews } from './failure-news.js';
import { logStatus } from './log-status.js';
import { RedialPace, redialPauseMs } from './redial-pace.js';

/** A peer that vanished without closing its socket is noticed after two pings. */
const PING_INTERVAL_MS = 10_000;

/** As nats-server says it (server/errors.go, ErrAuthTimeout). */
const AUTHENTICATION_TIMEOUT = /authentication timeout/i;

/** Files, PEM; read at every connection, so that they may be replaced. */
export interface NatsTlsFiles {
  /** Authorities that the server's certificate may be from; absent: the well-known ones. */
  readonly caFile?: string | undefined;
  /** The client's own, for a server that asks for one. */
  readonly certificateFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** The user's permissions are what the call matrix allows the service, so each service has its own. */
export interface ConnectNatsOptions {
  /**
   * Or several with commas between them: of a cluster, whose servers stand in for one another. With `tls://`, or when `tls` says anything, a
   * server without TLS is refused before the password is sent.
   */
  readonly url: string;
  readonly tls?: NatsTlsFiles | undefined;
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
 * Connects, and reconnects for ever with jitter. Waits for a server that is not up yet, or that a slow machine did not greet in time;
 * throws Unauthenticated when the server refuses the credentials.
 */
export async function connectNats(options: ConnectNatsOptions): Promise<NatsConnection> {
  const news = new FailureNews();
  for (;;) {
    try {
      const connection = await connectOnce(options);
      void logStatus(connection, options.logger);
      return connection;
    } catch (error) {
      if (isRefusal(error)) throw unauthenticated('NATS refused the credentials', error);
      options.signal?.throwIfAborted();
      if (news.isNews(error)) options.logger.warn('Waiting for NATS', { error });
    }
    await delay(redialPauseMs(), undefined, { signal: options.signal });
  }
}

/** The client gives one error for credentials that are wrong and for those that came after the server's `authorization.timeout`. */
function isRefusal(error: unknown): boolean {
  return error instanceof AuthorizationError && !AUTHENTICATION_TIMEOUT.test(error.message);
}

async function connectOnce(options: ConnectNatsOptions): Promise<NatsConnection> {
  const servers = serversOf(options.url);
  return connect({
    servers,
    user: options.user,
    pass: options.password,
    name: options.name,
    inboxPrefix: options.inboxPrefix,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: new RedialPace(servers.length).waitMs,
    pingInterval: PING_INTERVAL_MS,
    ignoreClusterUpdates: true,
    // While a password is being rotated, server and client disagree for a moment; that must not end the process.
    ignoreAuthErrorAbort: true,
    // Our own errors say what was asked of whom; a stack for each request that fails or not costs more than the request.
    noAsyncTraces: true,
    ...tlsOptions(options),
  });
}

function serversOf(url: string): string[] {
  return url.split(',').map((server) => server.trim());
}

function tlsOptions({ url, tls = {} }: ConnectNatsOptions): { readonly tls?: TlsOptions } {
  const { caFile, certificateFile: certFile, keyFile } = tls;
  const stated = Object.entries({ caFile, certFile, keyFile }).filter(([, file]) => file !== undefined);
  if (stated.length === 0 && !serversOf(url).some((server) => server.startsWith('tls://'))) return {};
  return { tls: Object.fromEntries(stated) };
}
