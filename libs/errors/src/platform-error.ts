import { hostRefusalOf } from './host-refusal.js';

/** How a reconcile loop or a caller should treat a failure. */
export type RetryPolicy = 'never' | 'now' | 'backoff' | 'slow';

/** The closed list of failure classes every layer branches on. */
export type ErrorCode =
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'InvalidSpec'
  | 'BadRequest'
  | 'Forbidden'
  | 'Unauthenticated'
  | 'Gone'
  | 'MethodNotAllowed'
  | 'UnsupportedMediaType'
  | 'TooManyRequests'
  | 'Unavailable'
  | 'Timeout'
  | 'Invariant';

/** One cause inside a failure; `field` is a JSON path such as `spec.network.vpcCidr`. */
export interface ErrorCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** Data that travels with an error to the person who asked. Never holds a secret. */
export interface ErrorDetails {
  readonly group?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly causes?: readonly ErrorCause[];
  /** Stable, machine-readable reason finer than the code, such as `QuotaExceeded` or `Expired`. */
  readonly reason?: string;
  /** What the person should do next, one sentence. */
  readonly remedy?: string;
  /** JSON path of the user's input that caused the failure. */
  readonly field?: string;
  /** How long to wait at least before asking again; a Status says it in whole seconds, rounded up. */
  readonly retryAfterMs?: number;
  readonly traceId?: string;
  /** Of an expired list: the token that goes on with the newest state. */
  readonly continue?: string;
}

const RETRY: Record<ErrorCode, RetryPolicy> = {
  NotFound: 'backoff',
  AlreadyExists: 'now',
  Conflict: 'now',
  InvalidSpec: 'never',
  BadRequest: 'never',
  Forbidden: 'slow',
  Unauthenticated: 'slow',
  Gone: 'now',
  MethodNotAllowed: 'never',
  UnsupportedMediaType: 'never',
  TooManyRequests: 'backoff',
  Unavailable: 'backoff',
  Timeout: 'backoff',
  Invariant: 'never',
};

export interface PlatformErrorOptions {
  readonly details?: ErrorDetails;
  /** For the log alone: neither callers nor people are told. */
  readonly cause?: unknown;
  /** Overrides the retry policy that the code implies. */
  readonly retry?: RetryPolicy;
}

/**
 * The one error class of the platform. Branch on `code`, never on `message` or `instanceof`:
 * codes survive bundling and crossing a process boundary.
 */
export class PlatformError extends Error {
  readonly code: ErrorCode;
  readonly retry: RetryPolicy;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: PlatformErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PlatformError';
    this.code = code;
    this.details = options.details ?? {};
    this.retry = options.retry ?? retryOf(code, this.details);
  }
}

/** A peer that does not know a field may be of an older release, which is about to be replaced. */
function retryOf(code: ErrorCode, { causes = [] }: ErrorDetails): RetryPolicy {
  const isUnknownField = code === 'BadRequest' && causes.some(({ reason }) => reason === 'UnknownField');
  return isUnknownField ? 'backoff' : RETRY[code];
}

/** True for any value shaped like a PlatformError, also one from another bundle. */
export function isPlatformError(value: unknown): value is PlatformError {
  return value instanceof Error && typeof (value as Partial<PlatformError>).code === 'string' && 'retry' in value;
}

/** The code of any thrown value; what is not ours counts as `Unavailable`. */
export function errorCode(value: unknown): ErrorCode {
  return isPlatformError(value) ? value.code : 'Unavailable';
}

/** True when `value` is a PlatformError with one of `codes`. */
export function hasCode(value: unknown, ...codes: readonly ErrorCode[]): boolean {
  return isPlatformError(value) && codes.includes(value.code);
}

/**
 * Wraps an unknown thrown value, keeping it as `cause`; a PlatformError passes through unchanged. What the file system refused gets a reason:
 * `DiskFull`, `DirectoryNotWritable`, `FileForbidden` or `TooManyOpenFiles`.
 */
export function toPlatformError(value: unknown): PlatformError {
  if (isPlatformError(value)) return value;
  const refusal = value instanceof Error ? hostRefusalOf(value) : undefined;
  if (refusal)
    return new PlatformError('Unavailable', refusal.message, { details: refusal.details, retry: 'slow', cause: value });
  const message = value instanceof Error ? value.message : String(value);
  return new PlatformError('Unavailable', message, { cause: value });
}
