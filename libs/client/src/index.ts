export { CrateClient, type CrateClientOptions } from './crate-client.js';
export {
  KindClient,
  type CallOptions,
  type DeleteCallOptions,
  type Draft,
  type Selection,
  type WriteCallOptions,
} from './kind/kind-client.js';
export { staticToken, type Credentials } from './credentials/credentials.js';
export { ExecPlugin, type ExecPluginConfig } from './credentials/exec-plugin.js';
export { readKubeconfig, type KubeconfigContext, type KubeconfigOptions } from './credentials/kubeconfig.js';
export { TokenFile } from './credentials/token-file.js';
export type { ApiRequest } from './transport/api-connection.js';
export type { RetryOptions } from './transport/retry.js';
export { Transport, type ClientOptions } from './transport/transport.js';
export { PlatformError, hasCode, isPlatformError, type ErrorCode } from '@crate/errors';
export {
  ADD_ON,
  ADD_ON_INSTALLATION,
  CLOUD_ACCOUNT,
  CLUSTER,
  DELETION_RECORD,
  INFRASTRUCTURE,
  KUBERNETES_CLUSTER,
  POLICY,
  POLICY_WAIVER,
  PROJECT,
  API_KEY,
  CLUSTER_CLASS,
  NODE_POOL,
  isConditionTrue,
  type ApiKey,
  type ClusterClass,
  type NodePool,
  type AddOn,
  type AddOnInstallation,
  type CloudAccount,
  type Cluster,
  type DeletionRecord,
  type Infrastructure,
  type KubeList,
  type KubeObject,
  type KubernetesCluster,
  type Policy,
  type PolicyWaiver,
  type Project,
  type WatchEvent,
} from '@crate/api';
