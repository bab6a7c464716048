import type { CloudAccount, Infrastructure } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import { keepFinalizers, refuseTakenName, type AdmissionHook } from '@crate/resource-server';
import type { AccountCredentialsStore } from './account-credentials.js';
import { accountOwnersAdmission } from './account-owners.admission.js';
import { cloudAccountAdmission } from './cloud-account.admission.js';
import { CLOUD_ACCOUNT_FINALIZER } from './cloud-account.finalizer.js';
import { credentialsSwapAdmission, type CredentialsSwapParts } from './credentials-swap.admission.js';
import { temporaryKeyAdmission } from './temporary-key.admission.js';

export interface CloudAccountHooksParts extends CredentialsSwapParts {
  /** Whose accounts are. */
  readonly service: string;
  readonly credentials: AccountCredentialsStore;
  readonly accounts: TypedClient<CloudAccount>;
  readonly infrastructures: TypedClient<Infrastructure>;
}

/** Everything that judges and changes a write of a CloudAccount, in order. */
export function cloudAccountHooks(parts: CloudAccountHooksParts): readonly AdmissionHook[] {
  return [
    accountOwnersAdmission,
    refuseTakenName(parts.accounts),
    temporaryKeyAdmission,
    credentialsSwapAdmission(parts),
    cloudAccountAdmission(parts.credentials, parts.infrastructures),
    // Credentials and what they pay for must not be forgotten because somebody replaced a document.
    keepFinalizers(parts.service, [CLOUD_ACCOUNT_FINALIZER]),
  ];
}
