import type { CloudAccount } from '@crate/api';
import type { ConditionTellings, EventDraft } from '@crate/reconcile';

/** What people are told of an account's conditions. */
export const CLOUD_ACCOUNT_TELLINGS: ConditionTellings<CloudAccount> = {
  Ready: {
    becameTrue: ({ spec }) => ({
      type: 'Normal',
      reason: 'CredentialsAccepted',
      message: `The provider accepts the credentials for account ${spec.accountId}`,
    }),
    // That it is being deleted is told by `Deleting`.
    becameFalse: (_, { reason, message }) => (reason === 'Deleting' ? undefined : { type: 'Warning', reason, message }),
  },
  Deleting: {
    becameTrue: (_, { message }) => ({ type: 'Normal', reason: 'Deleting', message }),
  },
};

/** Undefined unless the provider just accepted other credentials than before. */
export function replacedCredentials(before: CloudAccount, after: CloudAccount): EventDraft | undefined {
  const [old, now] = [before.status?.credentialsFingerprint, after.status?.credentialsFingerprint];
  if (old === undefined || now === undefined || old === now) return undefined;
  const message = `Credentials ${now} took the place of ${old}; runs that have begun finish with those before`;
  return { type: 'Normal', reason: 'CredentialsReplaced', message };
}
