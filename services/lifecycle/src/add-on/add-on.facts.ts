import { isExisting, type Cluster, type CloudProviderName, type Infrastructure } from '@crate/api';

/** What manifests may know of the cluster they are installed in, as texts. Empty: the cluster has no such thing, because Crate did not make it. */
export interface ClusterFacts {
  readonly name: string;
  readonly project: string;
  readonly uid: string;
  /** Cloud it is in, such as `aws`. */
  readonly provider: string;
  readonly region: string;
  /** CloudAccount that pays for it. */
  readonly account: string;
  /** As asked for. */
  readonly kubernetesVersion: string;
  /** What is its own in the cloud is tagged `kubernetes.io/cluster/<cloudId>`. */
  readonly cloudId: string;
}

/** The variable `cluster` of manifests: these facts and no others, so that a mistyped one is found when the add-on is written. */
export const CLUSTER_VARIABLE = {
  name: 'cluster',
  members: {
    ...{ name: 'string', project: 'string', uid: 'string', provider: 'string', region: 'string' },
    ...{ account: 'string', kubernetesVersion: 'string', cloudId: 'string' },
  } satisfies Record<keyof ClusterFacts, 'string'>,
};

/** Of clusters that there might be, for trying manifests before one has them. */
const MADE: ClusterFacts = {
  ...{ name: 'demo', project: 'team-a', uid: '7b0f9a86-3c1e-4f0a-9a53-0f6f8f8f5d11', provider: 'aws' },
  ...{ region: 'us-east-1', account: 'main', kubernetesVersion: 'v1.31.4', cloudId: 'demo-1723af96' },
};
const EXISTING: ClusterFacts = {
  ...{ name: 'demo', project: 'team-a', uid: MADE.uid },
  ...{ provider: '', region: '', account: '', kubernetesVersion: '', cloudId: '' },
};

/** Facts to try manifests with that are for clusters of these clouds; undefined: for every cluster. */
export function sampleFacts(providers: readonly CloudProviderName[] | undefined): readonly ClusterFacts[] {
  if (providers === undefined) return [MADE, EXISTING];
  return providers.map((provider) => ({ ...MADE, provider }));
}

/** Of a cluster that Crate makes, `cloudId` is empty until cloud-mgmt has said it. Pure. */
export function clusterFacts(
  cluster: Cluster,
  {
    provider,
    infrastructure,
  }: { readonly provider?: string | undefined; readonly infrastructure?: Infrastructure | undefined },
): ClusterFacts {
  const { metadata, spec } = cluster;
  const own = { name: metadata.name, project: metadata.namespace ?? '', uid: metadata.uid };
  if (isExisting(cluster)) return { ...EXISTING, ...own };
  return {
    ...own,
    provider: provider ?? '',
    region: spec.region ?? '',
    account: spec.accountRef?.name ?? '',
    kubernetesVersion: spec.kubernetes.version ?? '',
    cloudId: infrastructure?.status?.cloudId ?? '',
  };
}
