import type { Condition } from '@crate/api';
import type { PlatformError } from '@crate/errors';
import { refusal } from './refusal.js';

/** Why the account is not taken, by its own `Ready`, which says what to do: credentials are to be looked at where the cloud has refused them alone. */
export function accountNotReady(account: string, ready: Condition | undefined): PlatformError {
  return refusal({
    reason: 'AccountNotReady',
    message: ready?.message || `Account ${account} is not ready`,
    remedy:
      ready?.reason === 'CredentialsRejected'
        ? 'See that the credentials are of this account and allow what docs/aws-accounts.md says'
        : 'Run the command again once that is over; nothing was made in the cloud yet',
  });
}
