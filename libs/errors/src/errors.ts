import { isPlatformError, PlatformError, type ErrorCause, type ErrorDetails } from './platform-error.js';

/** The asked-for record does not exist. */
export function notFound(kind: string, name: string, group = ''): PlatformError {
  const resource = group ? `${kind}.${group}` : kind;
  return new PlatformError('NotFound', `${resource} "${name}" not found`, { details: { kind, name, group } });
}

/** A unique name is taken. */
export function alreadyExists(kind: string, name: string, group = ''): PlatformError {
  const resource = group ? `${kind}.${group}` : kind;
  return new PlatformError('AlreadyExists', `${resource} "${name}" already exists`, { details: { kind, name, group } });
}

/** The writer saw an older version than the stored one. */
export function conflict(message: string, details: ErrorDetails = {}): PlatformError {
  return new PlatformError('Conflict', message, { details });
}

/**
 * True when what was read says that somebody else has taken over, as `conflict` does. A transaction that the database undid for another one is a
 * Conflict, too, with the cause: done again, it may succeed.
 */
export function isFenced(error: unknown): boolean {
  return isPlatformError(error) && error.code === 'Conflict' && error.cause === undefined;
}

/** The person must change the document; `causes` names every bad field. */
export function invalidSpec(message: string, causes: readonly ErrorCause[], details: ErrorDetails = {}): PlatformError {
  return new PlatformError('InvalidSpec', message, { details: { ...details, causes } });
}

/** The request itself is malformed (not the document's content). */
export function badRequest(message: string, details: ErrorDetails = {}): PlatformError {
  return new PlatformError('BadRequest', message, { details });
}

/** The caller is known but may not do this. */
export function forbidden(message: string, details: ErrorDetails = {}): PlatformError {
  return new PlatformError('Forbidden', message, { details });
}

/** The caller is not known; the message never says which part of the credential was wrong. */
export function unauthenticated(message = 'Unauthorized', cause?: unknown): PlatformError {
  return new PlatformError('Unauthenticated', message, { cause });
}

/** A dependency does not answer; retried with backoff. */
export function unavailable(message: string, cause?: unknown): PlatformError {
  return new PlatformError('Unavailable', message, { cause });
}

/** Our own deadline passed. */
export function timeout(message: string, cause?: unknown): PlatformError {
  return new PlatformError('Timeout', message, { cause });
}

/** Our bug: a state that the code says cannot be. Never retried, always alerted on. */
export function invariant(message: string, cause?: unknown): PlatformError {
  return new PlatformError('Invariant', message, { cause });
}
