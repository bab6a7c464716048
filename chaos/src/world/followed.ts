import type { Schema } from './records.js';

export interface FollowedKind {
  /** Whose log has its changes. */
  readonly schema: Schema;
  /** Where clients watch it. */
  readonly path: string;
}

/** Kinds whose changes are compared with what watchers saw: of each service, over the front door and over NATS. */
export const FOLLOWED: Readonly<Record<string, FollowedKind>> = {
  Cluster: { schema: 'lifecycle', path: '/apis/lifecycle.crate.dev/v1alpha1/clusters' },
  ClusterClass: { schema: 'lifecycle', path: '/apis/lifecycle.crate.dev/v1alpha1/clusterclasses' },
  Infrastructure: { schema: 'cloud_mgmt', path: '/apis/cloud.crate.dev/v1alpha1/infrastructures' },
  CloudAccount: { schema: 'cloud_mgmt', path: '/apis/cloud.crate.dev/v1alpha1/cloudaccounts' },
  KubernetesCluster: { schema: 'cluster_mgmt', path: '/apis/cluster.crate.dev/v1alpha1/kubernetesclusters' },
  PolicyReport: { schema: 'policy_mgmt', path: '/apis/wgpolicyk8s.io/v1alpha2/policyreports' },
};

/** Revisions by kind at one time. */
export type Mark = Readonly<Record<string, number>>;

/** The same of each kind, by kind. */
export async function byKind<T>(
  read: (kind: string, followed: FollowedKind) => Promise<T>,
): Promise<Readonly<Record<string, T>>> {
  const entries = Object.entries(FOLLOWED).map(async ([kind, followed]) => [kind, await read(kind, followed)] as const);
  return Object.fromEntries(await Promise.all(entries));
}
