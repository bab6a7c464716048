export {
  currentEntries,
  formatKubeconfig,
  kubeconfigFor,
  kubeconfigForServer,
  kubeconfigForUser,
  parseKubeconfig,
  type Kubeconfig,
  type KubeconfigCredentials,
} from './kubeconfig.js';
export {
  TargetCluster,
  type ApplyObjectOptions,
  type TargetList,
  type TargetNode,
  type TargetRef,
} from './target-cluster.js';
export { HttpTargetCluster } from './http-target-cluster.js';
export { InMemoryTargetCluster } from './in-memory-target-cluster.js';
export { type KubeconfigSource } from './cluster-transport.js';
export { kubeconfigFileSource, serviceAccountSource, type ServiceAccountFiles } from './kubeconfig-files.js';
export { openPortTunnel, type PortTunnel } from './port-tunnel.js';
export { isConnectionDown, isRefusal } from './transport-errors.js';
export { isKindNotServed } from './resource-paths.js';
export { checkHealth, type Health } from './health.js';
export { isReady, type Readiness } from './readiness.js';
export { toTargetNode } from './target-node.js';
export { describeEntry, inventoryOf, mergeInventories, neededBy, pruneSet, statedAgain } from './inventory.js';
export { applyManifests, type ManifestOptions } from './apply-manifests.js';
export { JOB_STILL_RUNS } from './replace-job.js';
export { removeInventory, type RemovalOptions } from './remove-inventory.js';
export { findDrift, type Drift } from './find-drift.js';
export { loadAddOnPackages, type AddOnDraft } from './add-on-packages.js';
