import type { AddOnInstallation, Cluster, Infrastructure, InfrastructureResource, KubernetesCluster } from '@crate/api';
import { infrastructureNode } from './infrastructure-node.js';
import { leaf, nodeOf, type TreeNode } from './tree-node.js';

/** What a cluster owns, as far as it is there. */
export interface ClusterParts {
  readonly cluster: Cluster;
  readonly infrastructure?: Infrastructure | undefined;
  /** Cloud resources by their Terraform state; undefined: not known. */
  readonly resources?: readonly InfrastructureResource[] | undefined;
  readonly kubernetes?: KubernetesCluster | undefined;
  readonly installations: readonly AddOnInstallation[];
  /** Of what it may own and nobody answers for. */
  readonly unknown?: readonly UnknownPart[];
}

/** Part of which nothing is known. */
export interface UnknownPart {
  readonly kind: 'KubernetesCluster' | 'AddOnInstallations';
  /** Why. */
  readonly message: string;
}

/** Everything that a cluster owns, each with how it stands. Pure. */
export function clusterTree(parts: ClusterParts): TreeNode {
  const { cluster, infrastructure, resources, kubernetes, installations, unknown = [] } = parts;
  const isTold = unknown.length === 0 && (infrastructure ?? kubernetes) !== undefined;
  return {
    ...nodeOf('Cluster', cluster),
    // Its own word for how its parts stand is theirs, once all of them tell.
    ...(isTold ? { own: 'ok', message: '' } : {}),
    children: [
      ...(infrastructure ? [infrastructureNode(infrastructure, resources)] : []),
      ...(kubernetes ? [{ ...nodeOf('KubernetesCluster', kubernetes), children: nodes(kubernetes) }] : []),
      ...installations.map((each) => ({
        ...nodeOf('AddOnInstallation', each),
        children: (each.status?.inventory ?? []).map(({ kind, namespace, name }) =>
          leaf(kind, namespace === undefined ? name : `${namespace}/${name}`),
        ),
      })),
      ...unknown.map(({ kind, message }) => ({
        ...leaf(kind, cluster.metadata.name),
        own: 'unknown' as const,
        message,
      })),
    ],
  };
}

function nodes({ spec, status }: KubernetesCluster): readonly TreeNode[] {
  const seen = new Map(status?.nodes?.map((node) => [node.name, node]));
  const asked = spec.nodes.map(({ name }) => name);
  return [...new Set([...asked, ...seen.keys()])].map((name) => {
    const node = seen.get(name);
    if (!node) return { ...leaf('Node', name), own: 'working', message: 'NotJoined' };
    return { ...leaf('Node', name), own: node.ready ? 'ok' : 'failing', message: node.ready ? '' : 'NotReady' };
  });
}
