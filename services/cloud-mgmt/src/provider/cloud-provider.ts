import type { CloudAccount } from '@crate/api';
import type { OwnedResource } from '@crate/infra-aws';

/** Names of the providers, as `spec.provider` of a CloudAccount has them. */
export type ProviderName = CloudAccount['spec']['provider'];

/** What an account is used with; secret. */
export interface AccountCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Where a call is made, and as whom. */
export interface CloudAccess {
  /** 12 digits. */
  readonly accountId: string;
  /** Undefined when the account has none; a provider that needs them throws CredentialsRejected. */
  readonly credentials: AccountCredentials | undefined;
  readonly region: string;
}

/** What Terraform needs to reach the provider, for one run. */
export interface TerraformRuntime {
  /** Names what was set up beyond the life of this process; undefined when there is nothing to close. */
  readonly id: string | undefined;
  /** Added to Terraform's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Texts of it that nobody may see. */
  readonly secrets: readonly string[];
}

/** What a listing is of. */
export interface ListingOptions {
  /** Leaves out what is global: it was listed with another region. */
  readonly regionalOnly?: boolean;
}

/** What Crate asks of a cloud beyond what Terraform does. */
export abstract class CloudProvider {
  /** Throws Forbidden with the reason CredentialsRejected when the provider refuses them, Unavailable when it does not answer. */
  abstract checkCredentials(access: CloudAccess, signal: AbortSignal): Promise<void>;
  /** Prepares one Terraform run. Throws as `checkCredentials`. */
  abstract openRuntime(access: CloudAccess, signal: AbortSignal): Promise<TerraformRuntime>;
  /**
   * Gives back what `openRuntime` set up, and waits for calls of a killed run that are still on their way. Idempotent; never throws:
   * what stays open ends by itself.
   */
  abstract closeRuntime(id: string): Promise<void>;
  /** Everything in the account and region that carries the tag, and what is global. May lag behind by `listingLagMs`. */
  abstract listByTag(
    access: CloudAccess,
    tag: readonly [string, string],
    signal: AbortSignal,
    options?: ListingOptions,
  ): Promise<readonly OwnedResource[]>;
  /** What is in a network and keeps it from being removed, whoever made it. */
  abstract listInNetwork(
    access: CloudAccess,
    networkId: string,
    signal: AbortSignal,
  ): Promise<readonly OwnedResource[]>;
  /** How long it may take until a listing shows what was made, and no longer what was removed. */
  abstract listingLagMs(access: CloudAccess, signal: AbortSignal): Promise<number>;
}
