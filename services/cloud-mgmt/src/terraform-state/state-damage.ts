import { isPlatformError, type PlatformError } from '@crate/errors';
import { isKeyMissing, type SecretDamage } from '@crate/secrets';
import { stateConflict } from '@crate/service-host';

const DAMAGES = {
  tampered: { reason: 'StateTampered', message: 'The stored Terraform state was changed outside of the platform' },
  rolledBack: {
    reason: 'StateRolledBack',
    message: 'The stored Terraform state is older than the one that was stored last',
  },
  foreign: { reason: 'StateForeign', message: 'The stored Terraform state is that of another infrastructure' },
} as const satisfies Record<SecretDamage, unknown>;

const REMEDY =
  'Find out who changed the database; then put a good version in place with "crate state restore", or push one with terraform. Until then nothing is applied';

/** Codes of failures that a person has to settle before anything is applied. */
export const STATE_DAMAGES: readonly string[] = Object.values(DAMAGES).map(({ reason }) => reason);

/** True of a version that nobody can read, for it was changed, or its key is lost. */
export function isUnreadable(error: unknown): boolean {
  if (isKeyMissing(error)) return true;
  return isPlatformError(error) && error.details.reason === DAMAGES.tampered.reason;
}

/** The error that a damaged state is refused with. */
export function stateDamaged(damage: SecretDamage, cause?: unknown): PlatformError {
  const { reason, message } = DAMAGES[damage];
  return stateConflict(reason, message, { remedy: REMEDY, cause, retry: 'slow' });
}
