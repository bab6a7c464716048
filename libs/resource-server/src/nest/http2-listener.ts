import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { PlatformError, toStatus, type KubernetesStatus } from '@crate/errors';
import { ProtocolError } from '../http/protocol-error.js';
import { turnsOf } from './connection-turns.js';
import { listenerOptions, MAX_HEAD_BYTES, MAX_HEADERS, type ListenerLimits } from './listener-limits.js';

/** Requests of one connection at a time; clients open another one for more, as with the API server of Kubernetes. */
const MAX_STREAMS = 250;
/** Far above what turns leave to be taken at a time: Node refuses what comes beyond it without a word that a client could act on. */
const SESSION_MEMORY_MB = 2_048;
/** Requests taken back at once, and a second after that; who takes back more is sent away (CVE-2023-44487). */
const RESET_BURST = 500;
const RESETS_PER_SECOND = 50;
/** What is no valid frame, or beyond the streams there may be, before the connection ends. */
const MAX_BAD_FRAMES = 100;
/** A client that is told to go has so long to finish what it asked for. */
const GOING_MS = 30_000;
/** What comes of a body after the answer is thrown away for so long; then the client is told to stop. */
const DRAIN_MS = 500;
const LATE_BODY = new ProtocolError(408, 'Timeout', 'the request did not arrive in time');
const UNTAKEN = new PlatformError(
  'TooManyRequests',
  'more was asked for over this connection than was read; read it, or open another connection',
  {
    details: { retryAfterMs: 1000 },
  },
);

/** A listener for HTTP/2 and HTTP/1.1, as each client chooses by ALPN. What it puts up with over one it puts up with over the other. */
export function createHttp2Listener(
  tls: Readonly<Record<string, unknown>>,
  limits: ListenerLimits,
  listener: RequestListener,
): Http2SecureServer {
  const server = createSecureServer({
    ...tls,
    ...listenerOptions(limits),
    allowHTTP1: true,
    settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEAD_BYTES },
    maxHeaderListPairs: MAX_HEADERS,
    maxSessionMemory: SESSION_MEMORY_MB,
    maxSessionInvalidFrames: MAX_BAD_FRAMES,
    maxSessionRejectedStreams: MAX_BAD_FRAMES,
    streamResetBurst: RESET_BURST,
    streamResetRate: RESETS_PER_SECOND,
  });
  server.on('session', (session) => endWhenIdle(session, limits.keepAliveTimeoutMs));
  const turns = turnsOf(limits.turnTimeoutMs);
  server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    // Node gives both protocols the same face.
    const answer = (): void =>
      listener(request as unknown as IncomingMessage, response as unknown as ServerResponse & { req: IncomingMessage });
    const { session } = request.stream ?? {};
    if (request.httpVersionMajor < 2 || !session) return answer();
    limitBody(request, response, limits.requestTimeoutMs);
    turns(session).take(request.stream, answer, () => refuse(response, toStatus(UNTAKEN)));
  });
  return server;
}

/** Pings keep no connection: without a request for so long it ends. A watch, however quiet, is a request. */
function endWhenIdle(session: ServerHttp2Session, idleMs: number): void {
  let open = 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    timer = setTimeout(() => endSession(session), idleMs).unref();
  };
  wait();
  session.on('stream', (stream) => {
    open += 1;
    clearTimeout(timer);
    stream.once('close', () => {
      open -= 1;
      if (open === 0 && !session.closed) wait();
    });
  });
  session.once('close', () => clearTimeout(timer));
}

/** A client that does not read could make a polite end take for ever. */
function endSession(session: ServerHttp2Session): void {
  session.close();
  const timer = setTimeout(() => session.destroy(), GOING_MS).unref();
  session.once('close', () => clearTimeout(timer));
}

/** A body has to come in time, as over HTTP/1.1, and what nobody reads of it is not asked for. */
function limitBody(request: Http2ServerRequest, response: Http2ServerResponse, withinMs: number): void {
  const { stream } = request;
  if (stream.readableEnded || stream.endAfterHeaders) return;
  const late = setTimeout(() => refuse(response, LATE_BODY.status), withinMs).unref();
  stream.once('end', () => clearTimeout(late));
  stream.once('close', () => clearTimeout(late));
  // The stream's own: that of the answer comes when all is over.
  stream.once('finish', () => {
    clearTimeout(late);
    stream.resume();
    const drained = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), DRAIN_MS).unref();
    stream.once('close', () => clearTimeout(drained));
  });
}

function refuse(response: Http2ServerResponse, status: KubernetesStatus): void {
  if (response.headersSent || response.stream.destroyed) return;
  const retry = status.details?.retryAfterSeconds;
  response.writeHead(status.code, {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    ...(retry === undefined ? {} : { 'retry-after': String(retry) }),
  });
  response.end(`${JSON.stringify(status)}\n`);
}
