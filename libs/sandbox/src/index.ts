export {
  createAuthority,
  issueCertificate,
  type CertificateSubject,
  type KeyPair,
} from './pki/certificate-authority.js';
export { startSimulatedClusters, type SimulatedClusters } from './cluster/simulated-clusters.js';
export { writeLocalImages, type LocalImage, type LocalImagesInput } from './cluster/containers/image-catalog.js';
export { findRootlessWithHosts } from './cluster/network/private-hosts.js';
export { serverImages, type ServerPrograms } from './cluster/containers/server-images.js';
export type { ClusterSummary } from './cluster/routes.js';
export type { Fault, NamedFault } from './cloud/faults.js';
export type { LatencySettings } from './cloud/latency.js';
export type { ProviderSession, Reattach } from './cloud/provider-sessions.js';
export type { InventoryItem, ObjectRequest, SessionRequest } from './control-api/contract.js';
export { SandboxClient, type InventoryQuery, type ObjectRef } from './control-api/sandbox-client.js';
export type { SandboxConfig } from './config.js';
export { runSandbox, type RunningSandbox, type SandboxPart, type StartSandboxPart } from './sandbox.js';
