import { hasCode, isPlatformError } from '@crate/errors';

/**
 * True when the API says that an object is not there, by its name. A path that leads nowhere is NotFound as well, and says nothing of
 * objects: the owner of a kind that is away is forgotten, and a proxy has no way to a service that restarts.
 */
export function isAbsence(error: unknown): boolean {
  return hasCode(error, 'NotFound') && isPlatformError(error) && Boolean(error.details.name);
}
