import { vcpusOf, type ClusterSpec, type Project } from '@crate/api';
import { machineGroups } from '../cluster/cluster.nodes.js';

/** What quotas count. */
export type Usage = NonNullable<NonNullable<Project['status']>['usage']>;

export const QUOTA_NAMES = ['clusters', 'nodes', 'vcpu'] as const satisfies readonly (keyof Usage)[];

export const NO_USAGE: Usage = { clusters: 0, nodes: 0, vcpu: 0 };

/** What has to be known of a cluster's spec for it. */
export const SIZED_BY = ['controlPlane', 'nodePools'] as const satisfies readonly (keyof ClusterSpec)[];

type Sized = { readonly spec: Pick<ClusterSpec, (typeof SIZED_BY)[number]> };

/** What clusters take up as they are asked for; those being deleted count until they are gone. */
export function usageOf(clusters: readonly Sized[]): Usage {
  return clusters.map(({ spec }) => sizeOf(spec)).reduce(sumOf, NO_USAGE);
}

function sizeOf(spec: Sized['spec']): Usage {
  const groups = machineGroups(spec);
  return {
    clusters: 1,
    nodes: groups.reduce((nodes, { replicas }) => nodes + replicas, 0),
    vcpu: groups.reduce((vcpu, { replicas, machineType }) => vcpu + replicas * (vcpusOf(machineType) ?? 0), 0),
  };
}

export function sumOf(left: Usage, right: Usage): Usage {
  return { clusters: left.clusters + right.clusters, nodes: left.nodes + right.nodes, vcpu: left.vcpu + right.vcpu };
}
