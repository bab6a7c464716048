import { isPlatformError, PlatformError } from '@crate/errors';

const REASON = 'CredentialsRejected';

/** Credentials that the provider refused, or that are missing. The message never repeats them. */
export function credentialsRejected(message: string, cause?: unknown): PlatformError {
  return new PlatformError('Forbidden', message, {
    cause,
    retry: 'backoff',
    details: {
      reason: REASON,
      field: 'spec.credentials',
      remedy: 'Set valid credentials on the CloudAccount',
    },
  });
}

/** The provider takes the credentials, and may do what else they allow. */
class PermissionMissing extends PlatformError {}

/** Credentials that the provider knows, and that may not do what was asked. `action` as a policy has it, `answer` as the provider said it. */
export function permissionMissing(action: string, answer: string): PlatformError {
  return new PermissionMissing('Forbidden', `The credentials lack the permission ${action}: ${answer}`, {
    retry: 'backoff',
    details: {
      reason: REASON,
      field: 'spec.credentials',
      remedy: `Give the credentials of the CloudAccount the permission ${action}`,
    },
  });
}

/** Whether it is the provider that takes the credentials for nobody's, whoever had asked it: an answer, other than none. A permission can be given. */
export function isCredentialsRejected(error: unknown): boolean {
  return isPlatformError(error) && error.details.reason === REASON && !(error instanceof PermissionMissing);
}
