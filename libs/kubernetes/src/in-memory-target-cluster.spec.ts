import { InMemoryTargetCluster } from './in-memory-target-cluster.js';
import { targetClusterContract } from './testing/target-cluster.contract.js';

targetClusterContract('InMemoryTargetCluster', () => {
  const cluster = new InMemoryTargetCluster();
  return Promise.resolve({ cluster, inside: cluster, close: () => cluster.close() });
});
