import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ProtocolError } from '../http/protocol-error.js';

/** What a listener puts up with from a client before there is a request to answer. */
export interface ListenerLimits {
  /** From the first byte to the last of the head. */
  readonly headersTimeoutMs: number;
  /** From the first byte to the last of the body. */
  readonly requestTimeoutMs: number;
  /** Between two requests of one connection. */
  readonly keepAliveTimeoutMs: number;
  /** How long a request waits, over HTTP/2, while its client has not taken what it asked for before over the same connection. */
  readonly turnTimeoutMs: number;
  /** How often the times of HTTP/1.1 are looked at. */
  readonly checkEveryMs: number;
  /** From the wish to close until connections are cut that have not ended. */
  readonly closeTimeoutMs: number;
  /** Before that: how long connections that are idle may go by themselves; 0: they are cut at once. */
  readonly drainMs: number;
}

export const DEFAULT_LISTENER_LIMITS: ListenerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 75_000,
  turnTimeoutMs: 10_000,
  checkEveryMs: 5_000,
  closeTimeoutMs: 10_000,
  drainMs: 0,
};

/** The whole head, the path included; what is larger is a 431. */
export const MAX_HEAD_BYTES = 32 * 1024;
export const MAX_HEADERS = 100;

/** Options that a listener takes when it is made. */
export function listenerOptions({ checkEveryMs }: ListenerLimits): Record<string, unknown> {
  return { connectionsCheckingInterval: checkEveryMs, maxHeaderSize: MAX_HEAD_BYTES };
}

/** Sets what can be set once it is there. */
export function limitListener(server: Server, limits: ListenerLimits): void {
  server.headersTimeout = limits.headersTimeoutMs;
  server.requestTimeout = limits.requestTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveTimeoutMs;
  server.maxHeadersCount = MAX_HEADERS;
}

/** Answers in a Status what the parser refuses, and closes: nobody knows where the next request would begin. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable || hasAnswered(socket)) return void socket.destroy(error);
  const { status } = statusFor(error.code);
  const body = `${JSON.stringify(status)}\n`;
  const head = [
    `HTTP/1.1 ${status.code} ${status.reason}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** In the middle of an answer another one would only confuse. */
function hasAnswered(socket: Socket & { readonly _httpMessage?: { readonly headersSent?: boolean } }): boolean {
  return socket._httpMessage?.headersSent === true;
}

function statusFor(code: string | undefined): ProtocolError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ProtocolError(431, 'RequestHeaderFieldsTooLarge', `path and headers may have ${MAX_HEAD_BYTES} bytes`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProtocolError(408, 'Timeout', 'the request did not arrive in time');
    default:
      return new ProtocolError(400, 'BadRequest', 'the request is not valid HTTP');
  }
}
