import type { CloudAccount } from '@crate/api';
import type { ConditionTellings } from '@crate/reconcile';

/** What people are told of an account's conditions. */
export const CLOUD_ACCOUNT_TELLINGS: ConditionTellings<CloudAccount> = {
  Ready: {
    becameTrue: ({ spec }) => ({
      type: 'Normal',
      reason: 'CredentialsAccepted',
      message: `The provider accepts the credentials for account ${spec.accountId}`,
    }),
    becameFalse: ({ metadata }, { reason, message }) =>
      metadata.deletionTimestamp ? undefined : { type: 'Warning', reason, message },
  },
  Deleting: {
    becameTrue: (_, { message }) => ({ type: 'Normal', reason: 'Deleting', message }),
  },
};
