import type { Phase } from '@crate/reconcile';
import type { KubernetesClusterScope } from './kubernetes-cluster.scope.js';

/** The way there and back, as ordered lists of phases. */
export interface KubernetesClusterPhases {
  readonly bringUp: readonly Phase<KubernetesClusterScope>[];
  readonly tearDown: readonly Phase<KubernetesClusterScope>[];
}
