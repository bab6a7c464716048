import { PlatformError, type ErrorCode, type ErrorDetails, isPlatformError } from './platform-error.js';

/**
 * Kubernetes `Status` as sent to clients.
 * Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */
export interface KubernetesStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string };
  readonly status: 'Success' | 'Failure';
  readonly message: string;
  readonly reason: string;
  readonly code: number;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason: string; readonly message: string; readonly field?: string }[];
    /** Ours: what logs, events and traces call the work that failed. */
    readonly traceId?: string;
  };
}

const HTTP: Record<ErrorCode, { readonly code: number; readonly reason: string }> = {
  NotFound: { code: 404, reason: 'NotFound' },
  AlreadyExists: { code: 409, reason: 'AlreadyExists' },
  Conflict: { code: 409, reason: 'Conflict' },
  InvalidSpec: { code: 422, reason: 'Invalid' },
  BadRequest: { code: 400, reason: 'BadRequest' },
  Forbidden: { code: 403, reason: 'Forbidden' },
  Unauthenticated: { code: 401, reason: 'Unauthorized' },
  Gone: { code: 410, reason: 'Expired' },
  MethodNotAllowed: { code: 405, reason: 'MethodNotAllowed' },
  UnsupportedMediaType: { code: 415, reason: 'UnsupportedMediaType' },
  TooManyRequests: { code: 429, reason: 'TooManyRequests' },
  Unavailable: { code: 503, reason: 'ServiceUnavailable' },
  Timeout: { code: 504, reason: 'Timeout' },
  Invariant: { code: 500, reason: 'InternalError' },
};

const BY_REASON = new Map<string, ErrorCode>(
  Object.entries(HTTP).map(([code, http]) => [http.reason, code as ErrorCode]),
);

const BY_HTTP = new Map<number, ErrorCode>([
  ...Object.entries(HTTP).map(([code, http]): [number, ErrorCode] => [http.code, code as ErrorCode]),
  [409, 'Conflict'],
]);

/**
 * By these words of an answer, whatever its code, Flux takes it that a field cannot change; when it is to force, it deletes the object
 * and makes another. Source: `IsImmutableError` in github.com/fluxcd/pkg/ssa/errors.
 */
const WORDS_THAT_DELETE = /(?<=is\s)immutable|immutable(?=\sfield)/g;

/**
 * Turns any thrown value into a `Status` safe to send to a client: what is not a PlatformError, and every Invariant, loses its message so
 * that nothing internal leaks. That of a Forbidden, which may be in the words of a rule's author, calls nothing immutable: fields could
 * change, and nobody is to delete the object for it. Its causes keep their words.
 */
export function toStatus(error: unknown): KubernetesStatus {
  if (!isPlatformError(error)) return failure('Unavailable', 'The service could not answer, try again', {});
  if (error.code === 'Invariant') return failure('Invariant', 'Internal error, quote the trace id', error.details);
  const { code, message, details } = error;
  return failure(code, code === 'Forbidden' ? message.replace(WORDS_THAT_DELETE, 'fixed') : message, details);
}

/** Rebuilds the PlatformError a peer answered with, so `code` survives the wire. What is not as a `Status` has it is left out: peers may be foreign. */
export function fromStatus(status: Partial<KubernetesStatus>): PlatformError {
  const { reason, message, metadata } = status;
  const code = BY_REASON.get(reason ?? '') ?? BY_HTTP.get(status.code ?? 0) ?? 'Unavailable';
  const token = metadata?.continue;
  const known = HTTP[code].reason === reason;
  const details: ErrorDetails = {
    ...knownDetails(status.details),
    ...(isText(token) ? { continue: token } : {}),
    ...(isText(reason) && !known ? { reason } : {}),
  };
  return new PlatformError(code, isText(message) ? message : code, { details });
}

/** What an answer says of an error; undefined where it is in no `Status`, such as that of a proxy, which may be an object, too. */
export function statusIn(answer: unknown): Partial<KubernetesStatus> | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  return (answer as { kind?: unknown }).kind === 'Status' ? answer : undefined;
}

const LONGEST_WORDS = 200;

/** An object or a list, which gateways print on several lines. */
const JSON_BEGINS = /^[[{]/;

/**
 * The words of whoever answered in place of an API, behind a colon: its first line, unless that is of a page, and of JSON all lines as one;
 * '' where there are none.
 */
export function wordsOfOther(answer: string): string {
  const text = answer.trim();
  const [line = ''] = JSON_BEGINS.test(text) ? [text.replaceAll(/\s+/g, ' ')] : text.split('\n', 1);
  return line === '' || line.startsWith('<') ? '' : `: ${storable(line)}`;
}

/** Without what a terminal would act on, and cut. */
function storable(line: string): string {
  const text = line.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ').trim();
  return text.length > LONGEST_WORDS ? `${text.slice(0, LONGEST_WORDS)}…` : text;
}

function knownDetails(details: KubernetesStatus['details']): ErrorDetails {
  const { name, group, kind, uid, traceId, causes, retryAfterSeconds } = details ?? {};
  const texts = Object.entries({ name, group, kind, uid, traceId }).filter(([, value]) => isText(value));
  return {
    ...Object.fromEntries(texts),
    ...(Array.isArray(causes) ? { causes: causes.filter((cause) => typeof cause === 'object' && cause !== null) } : {}),
    ...(isDuration(retryAfterSeconds) ? { retryAfterMs: retryAfterSeconds * 1000 } : {}),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isDuration(seconds: unknown): seconds is number {
  return Number.isFinite(seconds) && (seconds as number) >= 0;
}

function failure(code: ErrorCode, message: string, details: ErrorDetails): KubernetesStatus {
  const { name, group, kind, uid, causes = causeOf(details), retryAfterMs, traceId } = details;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: details.continue === undefined ? {} : { continue: details.continue },
    status: 'Failure',
    message,
    reason: HTTP[code].reason,
    code: HTTP[code].code,
    details: {
      ...(name === undefined ? {} : { name }),
      ...(group === undefined ? {} : { group }),
      ...(kind === undefined ? {} : { kind }),
      ...(uid === undefined ? {} : { uid }),
      ...(causes === undefined ? {} : { causes }),
      ...(retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }),
      ...(traceId === undefined ? {} : { traceId }),
    },
  };
}

/** Kubernetes has a handful of reasons only; ours, which programs can rely on, stands where its own finer ones do. */
function causeOf({ reason, remedy, field }: ErrorDetails): ErrorDetails['causes'] {
  if (reason === undefined) return undefined;
  return [{ reason, message: remedy ?? '', ...(field === undefined ? {} : { field }) }];
}
