export { ClusterMgmtModule } from './cluster-mgmt.module.js';
export { clusterMgmtConfig, type ClusterMgmtConfig } from './config.js';
