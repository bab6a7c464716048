import { EXISTING, madeSpecOf, type Cluster, type InfrastructureOutputs, type KubernetesClusterSpec } from '@crate/api';
import { clusterNodes } from './cluster.nodes.js';

/** What cluster-mgmt is told: without outputs only who it is for, with outputs also the machines and addresses. */
export function kubernetesSpec(cluster: Cluster, outputs?: InfrastructureOutputs): KubernetesClusterSpec {
  const spec = madeSpecOf(cluster);
  // Everything else of it is as others have made it.
  if (!spec) return { engine: EXISTING, clusterName: cluster.metadata.name, nodes: [] };
  const { engine, version } = spec.kubernetes;
  const { podCidr, serviceCidr } = spec.network;
  return {
    engine,
    version,
    clusterName: cluster.metadata.name,
    network: { podCidr, serviceCidr },
    nodes: outputs ? clusterNodes(cluster, outputs) : [],
    ...(outputs
      ? { apiEndpoint: { host: outputs.apiHost, port: outputs.apiPort }, bastionHost: outputs.bastionHost }
      : {}),
  };
}
