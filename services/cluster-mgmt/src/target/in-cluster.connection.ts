import { PlatformError } from '@crate/errors';
import { HttpTargetCluster, kubeconfigFileSource, serviceAccountSource, type TargetCluster } from '@crate/kubernetes';
import type { InClusterConfig } from './in-cluster.config.js';

/** Stored in the place of a kubeconfig: the cluster is the one that this service runs in, whose credentials are not stored. */
export const IN_CLUSTER = 'in-cluster';

/** Connects by a stored kubeconfig, or to the cluster that this service runs in. */
export function connector(config: InClusterConfig): (stored: string) => TargetCluster {
  return (stored) => (stored === IN_CLUSTER ? connectInCluster(config) : new HttpTargetCluster(stored));
}

/** Throws Unavailable (`InClusterDisabled`) where this service is not told to look after its own cluster any more. */
export function requireInCluster({ enabled }: Pick<InClusterConfig, 'enabled'>): void {
  if (enabled) return;
  throw new PlatformError('Unavailable', 'This platform is not told to look after the cluster that it runs in', {
    retry: 'slow',
    details: {
      reason: 'InClusterDisabled',
      field: 'spec.kubernetes.engine',
      remedy: 'Install the platform with inCluster.enabled again; without it nothing can be removed from the cluster',
    },
  });
}

function connectInCluster(config: InClusterConfig): TargetCluster {
  requireInCluster(config);
  const { kubeconfigFile } = config;
  return new HttpTargetCluster(
    kubeconfigFile === undefined ? serviceAccountSource(config) : kubeconfigFileSource(kubeconfigFile),
  );
}
