import { badRequest, isPlatformError, PlatformError } from '@crate/errors';

/** Clients see revisions as decimal strings; 2^53 changes are out of reach, so a number does inside the store. */
export type Revision = number;

/** Throws BadRequest unless `text` is a decimal number. */
export function parseRevision(text: string): Revision {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(`Invalid resource version "${text}": want a decimal number`);
}

export function formatRevision(revision: Revision): string {
  return String(revision);
}

/** The revision cannot be served: older than the log, or of a database that was put back to an earlier state. */
export function goneError(asked: Revision, floor: Revision, head: Revision): PlatformError {
  const message = `Resource version ${asked} is not in the log, which has ${floor} to ${head}: list again`;
  return new PlatformError('Gone', message, { details: { reason: 'Expired' } });
}

/** Nothing was committed at the revision yet. Reason and cause are what clients of Kubernetes look for. */
export function tooLargeError(asked: Revision, head: Revision): PlatformError {
  const reason = 'ResourceVersionTooLarge';
  return new PlatformError('Timeout', `Too large resource version: ${asked}, current: ${head}`, {
    details: { reason, causes: [{ reason, message: 'Too large resource version' }], retryAfterMs: 1000 },
  });
}

/**
 * The error of a list, as a watch has it that begins with that list: a list may wait for a revision that is yet to come, but a watch
 * from there is of a database that has lost it, and its client has to list again.
 */
export function asOfWatch(error: unknown): unknown {
  if (!isPlatformError(error) || error.details.reason !== 'ResourceVersionTooLarge') return error;
  return new PlatformError('Gone', error.message, { cause: error, details: { reason: 'Expired' } });
}
