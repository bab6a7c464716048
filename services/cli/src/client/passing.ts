import { hasCode } from '@crate/errors';

/** True for what those who wait ride over: the platform is away or busy, and asking again may help. */
export function isPassing(error: unknown): boolean {
  return hasCode(error, 'Unavailable', 'TooManyRequests', 'Timeout');
}
