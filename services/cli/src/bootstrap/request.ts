/** Clouds that a platform can be set up in. */
export type BootstrapCloudName = 'aws' | 'sandbox';

/** What a person asked for; holds no secret, and is kept so that later commands know it. */
export interface BootstrapRequest {
  readonly cloud: BootstrapCloudName;
  /** Of the platform cluster. */
  readonly name: string;
  readonly region: string;
  /** Number of the account. */
  readonly account: string;
  /** Networks that may reach the cluster and the platform. */
  readonly managementNetworks: readonly string[];
  readonly permissionsBoundary?: string;
  /** Of the simulated cloud. */
  readonly sandboxUrl?: string;
  /** Path of the engine that the singleton brings the cluster up with. */
  readonly rke?: string;
  readonly kubernetesVersion: string;
  readonly controlPlane: number;
  readonly nodes: number;
  readonly machineType: string;
  /** Names of the API besides those it has in the cluster. */
  readonly hosts: readonly string[];
  readonly natsUrl?: string;
  readonly natsPasswordsFile?: string;
  readonly databaseUrlFile?: string;
  /** Of the servers that the platform brings along; absent: that of their publishers. */
  readonly serverRegistry?: string;
  /** Of all volumes; absent: that of the cloud for PostgreSQL in the cluster, and the cluster's default. */
  readonly storageClass?: string;
  /** YAML: values of the chart, over those chosen here. */
  readonly valuesFile?: string;
  /** YAML: objects that the chart needs, such as Secrets with authorities. */
  readonly objectsFile?: string;
  /** Product code of AWS Marketplace, where the platform was bought there. */
  readonly marketplaceProductCode?: string;
  /** URL, or a path in pods, of the index that newer versions are known from. */
  readonly releasesIndex?: string;
  /** PEM of the key that it is signed with. */
  readonly releasesPublicKeyFile?: string;
  /** Whether the platform may install what the index has. */
  readonly selfUpgrade?: boolean;
  readonly timeoutMs: number;
  readonly drainTimeoutMs: number;
}

/** Project and account that the platform cluster belongs to. */
export const PLATFORM_PROJECT = 'crate-platform';
export const PLATFORM_ACCOUNT = 'platform';

/** What must not change between two runs on one directory: other values mean another platform. */
export function identityOf({ cloud, name, region, account }: BootstrapRequest): string {
  return `${name} in ${region} of account ${account} (${cloud})`;
}
