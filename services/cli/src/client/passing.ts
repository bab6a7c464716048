import { hasCode } from '@crate/errors';
import { isAbsence } from './absence.js';

/**
 * True for what those who wait ride over: the platform is away or busy, or a path leads nowhere that has led somewhere before, and
 * asking again may help.
 */
export function isPassing(error: unknown): boolean {
  return (
    hasCode(error, 'Unavailable', 'TooManyRequests', 'Timeout') || (hasCode(error, 'NotFound') && !isAbsence(error))
  );
}

/** The same question, answered by no while the platform is away or busy: those who wait ask it again. */
export function overOutages(probe: () => Promise<boolean>): () => Promise<boolean> {
  return async () => {
    try {
      return await probe();
    } catch (error) {
      if (isPassing(error)) return false;
      throw error;
    }
  };
}
