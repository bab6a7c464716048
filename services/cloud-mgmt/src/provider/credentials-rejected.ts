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

/** What an account can lack whose credentials are good. As in the failures of Terraform. */
export type AccountTrouble = 'AccountBlocked' | 'AccountPending' | 'NotSubscribed';

const TROUBLE_REMEDIES: Readonly<Record<AccountTrouble, string>> = {
  AccountBlocked: 'Clear it with the support of the provider, which has blocked the account: the keys are good',
  AccountPending: 'Nothing to do: the provider validates the account within hours',
  NotSubscribed: 'Enable in the account what the message names, or wait until a new account is activated',
};

/** Reasons that a closed account may be told by. One that is being validated opens. */
const LOCKED_OUT: ReadonlySet<string> = new Set([REASON, 'AccountBlocked', 'NotSubscribed']);

/** An account in which the provider does nothing, whatever its credentials. `answer` as the provider said it. */
export function accountTrouble(reason: AccountTrouble, answer: string): PlatformError {
  return new PlatformError('Forbidden', `The provider does nothing in the account: ${answer}`, {
    retry: 'backoff',
    details: { reason, field: 'spec.accountId', remedy: TROUBLE_REMEDIES[reason] },
  });
}

/** Whether it is the provider that lets nobody with these credentials in, whoever had asked it: an answer, other than none. A permission can be given. */
export function isLockedOut(error: unknown): boolean {
  if (!isPlatformError(error) || error instanceof PermissionMissing) return false;
  return LOCKED_OUT.has(error.details.reason ?? '');
}
