import { PlatformError, isPlatformError, type ErrorCode } from '@crate/errors';

/** A write that a server refused because it only follows another one, or that a transaction refused which was begun to read. */
export const READ_ONLY = '25006';

/** Among others: what a prepared statement gives has another shape since it was prepared, as a newer release has changed the table. */
export const NOT_SUPPORTED = '0A000';

/** SQLSTATE codes whose meaning callers branch on. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const BY_STATE: Readonly<Record<string, { readonly code: ErrorCode; readonly message: string }>> = {
  '23505': { code: 'AlreadyExists', message: 'A record with this key already exists' },
  '40001': { code: 'Conflict', message: 'Another transaction changed the same records' },
  '40P01': { code: 'Conflict', message: 'Another transaction locked the same records in another order' },
  '55P03': { code: 'Conflict', message: 'Another transaction holds the lock' },
  // A server that was the first of its cluster until a moment ago, or is not yet.
  [READ_ONLY]: { code: 'Unavailable', message: 'The database takes no writes now' },
  // What ends by an operator alone is not told as a server that will be back by itself.
  '53100': { code: 'Unavailable', message: 'The disk of the database is full' },
  '53300': { code: 'Unavailable', message: 'The database takes no more connections' },
  '57014': { code: 'Timeout', message: 'The database took too long' },
};

/** Raised by triggers of ours (ADR 0330) with a text for people. Nothing was written, and nothing will be by trying again at once. */
const MOVING: Readonly<Record<string, { readonly reason: string; readonly remedy: string }>> = {
  CR001: { reason: 'Moving', remedy: 'Try again in some seconds' },
  CR002: { reason: 'Moved', remedy: 'Use the address that it has moved to' },
  CR003: { reason: 'Moving', remedy: 'Use the installation that is moved here until it is over' },
};
const MOVING_RETRY_MS = 5_000;

/** How the server refuses a user of ours, such as one whose password was changed: nothing that a statement is to blame for. */
const REFUSES_USER = /^(28|3D|42501$)/;
const REFUSES_USER_DETAILS = {
  reason: 'DatabaseRefuses',
  remedy: 'See the user, password and rights that the service has at the database',
};

/** True for what the server refused a user over, as fromPostgresError tells it: it answered. */
export function refusesUser(error: unknown): boolean {
  return REFUSES_USER.test(sqlStateOf(error) ?? '');
}

/** Connection exceptions, insufficient resources, operator intervention, system errors. */
const UNAVAILABLE_CLASSES = ['08', '53', '57', '58'];

/** The SQLSTATE of an error of the database, also when it is the cause of a PlatformError; undefined for other errors. */
export function sqlStateOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if (isPlatformError(error)) return sqlStateOf(error.cause);
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown };
  // System errors such as ECONNREFUSED have a code as well, but no severity.
  return typeof code === 'string' && typeof severity === 'string' ? code : adapterErrorOf(error).originalCode;
}

/** What the database said, in an error of Prisma: that of its adapter, or one that has it with it. */
function adapterErrorOf(error: object): { readonly originalCode?: string; readonly originalMessage?: string } {
  const { meta } = error as { readonly meta?: { readonly driverAdapterError?: object } };
  const { cause } = (meta?.driverAdapterError ?? error) as { readonly cause?: unknown };
  return typeof cause === 'object' && cause !== null ? cause : {};
}

/**
 * What a failed query means to a caller: AlreadyExists, Conflict, Timeout; Unavailable when the connection was lost or
 * could not be made (whether the statement took effect is then unknown), or, with the reason `Moving` or `Moved`, when the installation is
 * moved to another database and takes no writes, or, with the reason `DatabaseRefuses`, when the service is not let in or lacks a right;
 * everything else is a bug of ours, Invariant.
 * A PlatformError passes through, and so does one that is the cause. The message never quotes values; the cause does.
 */
export function fromPostgresError(error: unknown): PlatformError {
  if (isPlatformError(error)) return error;
  if (error instanceof Error && isPlatformError(error.cause)) return error.cause;
  const state = sqlStateOf(error);
  if (state === undefined) return new PlatformError('Unavailable', 'The database does not answer', { cause: error });
  const known = BY_STATE[state];
  if (known) return new PlatformError(known.code, known.message, { cause: error });
  const moving = MOVING[state];
  if (moving) {
    const details = { ...moving, retryAfterMs: MOVING_RETRY_MS };
    return new PlatformError('Unavailable', textOf(error as Error), { details, cause: error });
  }
  if (refusesUser(error)) {
    const message = `The database refuses the service with SQLSTATE ${state}`;
    return new PlatformError('Unavailable', message, { details: REFUSES_USER_DETAILS, cause: error });
  }
  if (UNAVAILABLE_CLASSES.includes(state.slice(0, 2))) {
    return new PlatformError('Unavailable', 'The database does not answer', { cause: error });
  }
  return new PlatformError('Invariant', `The database refused a statement with SQLSTATE ${state}`, { cause: error });
}

function textOf(error: Error): string {
  return adapterErrorOf(error).originalMessage ?? error.message;
}
