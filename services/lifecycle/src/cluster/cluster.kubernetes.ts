import type { Cluster, InfrastructureOutputs, KubernetesClusterSpec } from '@crate/api';
import { clusterNodes } from './cluster.nodes.js';

/** What cluster-mgmt is told: without outputs only who it is for, with outputs also the machines and addresses. */
export function kubernetesSpec(cluster: Cluster, outputs?: InfrastructureOutputs): KubernetesClusterSpec {
  const { engine, version } = cluster.spec.kubernetes;
  const { podCidr, serviceCidr } = cluster.spec.network;
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
