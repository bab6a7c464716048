import type { KubeObject } from '@crate/api';
import type { TargetNode } from './target-cluster.js';

const CONTROL_PLANE_LABELS = [
  'node-role.kubernetes.io/control-plane',
  // RKE's own label, set before the well-known one existed.
  'node-role.kubernetes.io/controlplane',
  'node-role.kubernetes.io/master',
];

/** What Crate wants to know of a `v1` Node. */
export function toTargetNode(node: KubeObject): TargetNode {
  const labels = node.metadata.labels ?? {};
  const status = (node['status'] ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
  const spec = (node['spec'] ?? {}) as { readonly unschedulable?: boolean };
  return {
    name: node.metadata.name,
    role: CONTROL_PLANE_LABELS.some((label) => label in labels) ? 'control-plane' : 'worker',
    ready: status.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false,
    version: status.nodeInfo?.kubeletVersion ?? '',
    unschedulable: spec.unschedulable ?? false,
  };
}
