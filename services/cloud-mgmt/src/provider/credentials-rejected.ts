import { PlatformError } from '@crate/errors';

/** Credentials that the provider refused, or that are missing. The message never repeats them. */
export function credentialsRejected(message: string, cause?: unknown): PlatformError {
  return new PlatformError('Forbidden', message, {
    cause,
    retry: 'backoff',
    details: {
      reason: 'CredentialsRejected',
      field: 'spec.credentials',
      remedy: 'Set valid credentials on the CloudAccount',
    },
  });
}
