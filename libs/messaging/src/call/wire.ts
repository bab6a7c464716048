/** Header with the milliseconds the caller will wait; relative, so that clocks need not agree. */
export const TIMEOUT_HEADER = 'crate-timeout-ms';

/** Header with the time, in milliseconds since 1970, from which on the caller waits no more: what is left lying for `LATE_CALL_MS` longer is not begun. */
export const DEADLINE_HEADER = 'crate-deadline';

/**
 * How long after its deadline a call is still begun: clocks of two computers that are that far apart are told as critical, and until then people
 * need an answer to see it. Less than it takes until nobody knows of the call any more.
 */
export const LATE_CALL_MS = 30_000;

/** Reason of the refusal of a call that came after its deadline: nothing of it was done. */
export const CALL_TOO_LATE = 'CallTooLate';

/** W3C trace context. */
export const TRACE_HEADER = 'traceparent';

/** Header with the id of the request, to which its sealed parts are bound. */
export const REQUEST_ID_HEADER = 'crate-request-id';

/** Default time a caller waits. */
export const DEFAULT_TIMEOUT_MS = 10_000;

/** A request as Nest's NATS transport reads it. */
export interface NestRequest {
  readonly pattern: string;
  readonly data: unknown;
  readonly id: string;
}

/** A reply as Nest's NATS transport writes it. `err` is set only when Nest itself failed. */
export interface NestReply {
  readonly response?: unknown;
  readonly err?: unknown;
  readonly isDisposed?: boolean;
  readonly id: string;
}

/** Headers count towards the server's limit for a message. */
export const HEADER_ROOM_BYTES = 16 * 1024;

/** Bytes that the body of one message may have; unlimited while the server's limit is unknown. */
export function bodyLimit(maxPayload: number | undefined): number {
  return maxPayload === undefined ? Number.MAX_SAFE_INTEGER : maxPayload - HEADER_ROOM_BYTES;
}
