import type { ErrorCode, PlatformError } from '@crate/errors';
import type { StopSignal } from './interruption.js';

/** What the end of a command means, for scripts. Part of the interface: a number never gets another meaning. */
export const EXIT_CODES = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  notAllowed: 5,
  timedOut: 6,
  unreachable: 7,
  differs: 8,
  rolledBack: 9,
  hungUp: 129,
  interrupted: 130,
  unread: 141,
  terminated: 143,
} as const;

/** What a shell has for the end by a signal. */
export const CODES_OF_SIGNALS: Readonly<Record<StopSignal, number>> = {
  SIGINT: EXIT_CODES.interrupted,
  SIGTERM: EXIT_CODES.terminated,
  SIGHUP: EXIT_CODES.hungUp,
};

/** One sentence for each, for the documentation. */
export const EXIT_CODE_MEANINGS: Readonly<Record<keyof typeof EXIT_CODES, string>> = {
  done: 'Done.',
  failed: 'Failed; the message says why and what to do.',
  usage: 'The command line or a file makes no sense; nothing was asked of the platform, or it said so.',
  notFound: 'What was asked for is not there; `status`: nothing runs.',
  refused: 'Refused as things are: a conflict, a document that is not valid, or a rule that denies it.',
  notAllowed: 'Not signed in, or not allowed to.',
  timedOut: 'Did not come about in the time that was given; it may still.',
  unreachable: 'The platform cannot be reached, cannot answer now, or did not start; try again.',
  differs: '`diff`: what is there is not what the files say.',
  rolledBack: '`platform upgrade --wait`: not all services have the version; those that failed have the one before.',
  hungUp: 'The terminal was closed; what the platform was asked for goes on.',
  interrupted: 'Interrupted with Ctrl-C; what the platform was asked for goes on.',
  unread: 'Done, but nobody read the output to its end, as with `| head`; commands that only print ended there.',
  terminated: 'Ended from outside, as with `kill`; what the platform was asked for goes on.',
};

const BY_ERROR: Readonly<Record<ErrorCode, keyof typeof EXIT_CODES>> = {
  NotFound: 'notFound',
  AlreadyExists: 'refused',
  Conflict: 'refused',
  InvalidSpec: 'refused',
  BadRequest: 'usage',
  Forbidden: 'notAllowed',
  Unauthenticated: 'notAllowed',
  Gone: 'failed',
  MethodNotAllowed: 'refused',
  UnsupportedMediaType: 'failed',
  TooManyRequests: 'unreachable',
  Unavailable: 'unreachable',
  Timeout: 'timedOut',
  Invariant: 'failed',
};

/** Why a rule refuses, which is nobody's lack of rights: the document has to change, or what stands in its way. Values are judged by rules alone. */
const OF_A_RULE: ReadonlySet<string | undefined> = new Set([
  'PolicyDenied',
  'PolicyViolation',
  'ImpactAboveCeiling',
  'QuotaExceeded',
  'InClusterOnly',
  'NamespaceTerminating',
  'DeletionProtected',
  'NoSuchDrift',
  'FieldValueInvalid',
  'FieldValueNotSupported',
  'FieldValueRequired',
]);

/** The exit code of a command that ended with this error. */
export function exitCodeOf({ code, details }: PlatformError): number {
  const reasons = [details.reason, ...(details.causes ?? []).map(({ reason }) => reason)];
  if (code === 'Forbidden' && reasons.some((reason) => OF_A_RULE.has(reason))) return EXIT_CODES.refused;
  return EXIT_CODES[BY_ERROR[code] ?? 'failed'];
}
