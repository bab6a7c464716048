import { PlatformError } from '@crate/errors';

/** A conflict with a reason that programs can rely on and, for people, what to do about it; both reach them over HTTP, too. */
export function stateConflict(
  reason: string,
  message: string,
  {
    remedy,
    ...options
  }: { readonly remedy: string; readonly cause?: unknown; readonly retry?: 'never' | 'slow' | 'backoff' },
): PlatformError {
  return new PlatformError('Conflict', message, {
    ...options,
    details: { reason, remedy },
  });
}
