import type { CloudAccount, Infrastructure } from '@crate/api';
import type { OwnedResource } from '@crate/infra-aws';
import type { AccountCredentialsStore } from '../cloud-account/account-credentials.js';
import type { CloudAccess, TerraformRuntime } from '../provider/cloud-provider.js';
import type { CloudProviders } from '../provider/cloud-providers.js';
import { OWNER_TAG } from './infrastructure-stack.js';

/** The cloud of one Infrastructure: its account's provider, used with the account's credentials in its region. */
export interface InfrastructureCloud {
  /** Prepares one Terraform run. Throws Forbidden (CredentialsRejected) or Unavailable. */
  readonly openRuntime: (signal: AbortSignal) => Promise<TerraformRuntime>;
  /** Never throws. */
  readonly closeRuntime: (id: string) => Promise<void>;
  /** Everything that carries the Infrastructure's owner tag. */
  readonly listOwned: (signal: AbortSignal) => Promise<readonly OwnedResource[]>;
}

/** Finds the cloud of an Infrastructure by its account. */
export class InfrastructureClouds {
  constructor(
    private readonly providers: CloudProviders,
    private readonly credentials: AccountCredentialsStore,
  ) {}

  /** Throws Unavailable when this installation does not offer the account's provider. */
  of({ metadata, spec }: Infrastructure, account: CloudAccount): InfrastructureCloud {
    const provider = this.providers.get(account.spec.provider);
    const access = async (): Promise<CloudAccess> => ({
      accountId: account.spec.accountId,
      credentials: await this.credentials.find(account),
      region: spec.region,
    });
    return {
      openRuntime: async (signal) => provider.openRuntime(await access(), signal),
      closeRuntime: (id) => provider.closeRuntime(id),
      listOwned: async (signal) => provider.listByTag(await access(), [OWNER_TAG, metadata.uid], signal),
    };
  }
}
