import type { InMemoryTargetCluster } from '@crate/kubernetes';
import type { AddOnInstallation, ClusterNode, KubernetesCluster, Manifest } from '@crate/api';

export function aNode(name: string, index: number): ClusterNode {
  const role = name.includes('control-plane') ? 'control-plane' : 'worker';
  return { name, address: `10.20.0.${10 + index}`, role, pool: role === 'worker' ? 'workers' : 'control-plane' };
}

export const NODE_NAMES = ['demo-control-plane-0', 'demo-workers-0'];

/** A node whose kubelet tells that no Docker answers on its machine. */
export function withoutDocker(target: InMemoryTargetCluster, name: string, since: string): void {
  const message =
    'container runtime not ready: RuntimeReady=false reason:DockerDaemonNotReady message:docker: failed to get docker version';
  const ready = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message, lastTransitionTime: since };
  target.interfere({ apiVersion: 'v1', kind: 'Node', name }, (node) => ({
    ...node,
    status: { ...(node.status as object), conditions: [ready] },
  }));
}

/** What lifecycle asks for before there are machines. */
export const BARE_SPEC: KubernetesCluster['spec'] = {
  engine: 'rke',
  version: 'v1.31.4',
  clusterName: 'demo',
  network: { podCidr: '10.42.0.0/16', serviceCidr: '10.43.0.0/16' },
  nodes: [],
};

/** What lifecycle asks for of a cluster that was there before. */
export const EXISTING_SPEC: KubernetesCluster['spec'] = { engine: 'existing', clusterName: 'demo', nodes: [] };

/** What lifecycle asks for once there are. */
export function machineSpec(names: readonly string[] = NODE_NAMES): KubernetesCluster['spec'] {
  return {
    ...BARE_SPEC,
    apiEndpoint: { host: 'lb.example.com', port: 6443 },
    bastionHost: '198.51.100.1',
    nodes: names.map(aNode),
  };
}

export const MANIFESTS: Manifest[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'pages', namespace: 'apps' }, data: { index: 'hello' } },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'docs', namespace: 'apps' },
    spec: { replicas: 1 },
  },
];

export function installationSpec(manifests: readonly Manifest[] = MANIFESTS): AddOnInstallation['spec'] {
  return { clusterRef: { name: 'demo' }, addOn: 'docs', version: '1.0.0', manifests: [...manifests] };
}
