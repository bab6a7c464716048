import type { CloudAccount, Infrastructure } from '@crate/api';
import { OWNER_TAGS, type OwnedResource } from '@crate/infra-aws';
import type { AccountCredentialsStore } from '../cloud-account/account-credentials.js';
import type { CloudAccess, TerraformRuntime } from '../provider/cloud-provider.js';
import type { CloudProviders } from '../provider/cloud-providers.js';
import { clusterTagOf } from '../deletion/leftovers.js';
import { checkListing, type RunsSoFar } from '../terraform-run/listing-lag.js';
import { OWNER_TAG } from './infrastructure-stack.js';

/** The cloud of one Infrastructure: its account's provider, used with the account's credentials in its region. */
export interface InfrastructureCloud {
  /** Prepares one Terraform run. Throws Forbidden (CredentialsRejected) or Unavailable. */
  readonly openRuntime: (signal: AbortSignal) => Promise<TerraformRuntime>;
  /** Never throws. */
  readonly closeRuntime: (id: string) => Promise<void>;
  /** Everything that carries the Infrastructure's owner tag. */
  readonly listOwned: (signal: AbortSignal) => Promise<readonly OwnedResource[]>;
  /** Everything that was made for a cluster of this name, in whatever Project. */
  readonly listNamesakes: (signal: AbortSignal) => Promise<readonly OwnedResource[]>;
  /** Throws Unavailable (`WaitingForListing`) while a listing may not show yet what these runs have made. */
  readonly checkListing: (past: RunsSoFar, signal: AbortSignal) => Promise<void>;
  /** Everything that carries the tag of the controllers in the cluster, what Terraform made included. */
  readonly listInCluster: (signal: AbortSignal) => Promise<readonly OwnedResource[]>;
  /** What is in a network and keeps it from being removed, whoever made it. */
  readonly listInNetwork: (networkId: string, signal: AbortSignal) => Promise<readonly OwnedResource[]>;
  /** How long a listing may lag behind. */
  readonly listingLagMs: (signal: AbortSignal) => Promise<number>;
}

/** Finds the cloud of an Infrastructure by its account. */
export class InfrastructureClouds {
  constructor(
    private readonly providers: CloudProviders,
    private readonly credentials: AccountCredentialsStore,
  ) {}

  /** Throws Unavailable when this installation does not offer the account's provider. */
  of(infrastructure: Infrastructure, account: CloudAccount): InfrastructureCloud {
    const { metadata, spec } = infrastructure;
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
      listNamesakes: async (signal) =>
        provider.listByTag(await access(), [OWNER_TAGS.cluster, spec.clusterName], signal),
      checkListing: async (past, signal) =>
        checkListing({ ...past, lagMs: await provider.listingLagMs(await access(), signal) }),
      listInCluster: async (signal) => provider.listByTag(await access(), clusterTagOf(infrastructure), signal),
      listInNetwork: async (networkId, signal) => provider.listInNetwork(await access(), networkId, signal),
      listingLagMs: async (signal) => provider.listingLagMs(await access(), signal),
    };
  }
}
