import type { KubeObject } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';

/** Objects of a cluster that stand for something at the provider. */
export interface CloudObjects {
  /** Services of type LoadBalancer. */
  readonly balancers: readonly KubeObject[];
  /** Claims whose volume goes with them, and claims that may yet get one. */
  readonly claims: readonly KubeObject[];
  /** PersistentVolumes that go with their claim. */
  readonly volumes: readonly KubeObject[];
  /** Volumes at the provider that outlive the cluster, because their reclaim policy says so. */
  readonly kept: readonly string[];
}

interface Volume {
  readonly persistentVolumeReclaimPolicy?: string;
  readonly claimRef?: { readonly namespace?: string; readonly name?: string };
  readonly csi?: { readonly volumeHandle?: string };
  readonly awsElasticBlockStore?: { readonly volumeID?: string };
}

/** Lists what a cluster has at the provider. Writes nothing. */
export async function listCloudObjects(target: TargetCluster, signal: AbortSignal): Promise<CloudObjects> {
  const [services, claims, volumes] = await Promise.all(
    ['Service', 'PersistentVolumeClaim', 'PersistentVolume'].map(
      async (kind) => (await target.list('v1', kind, {}, signal)).items,
    ),
  );
  const leaving = (volumes ?? []).filter((volume) => policyOf(volume) === 'Delete' && specOf(volume).claimRef);
  const staying = (volumes ?? []).filter((volume) => policyOf(volume) !== 'Delete');
  const claimed = new Set(staying.map(({ metadata }) => metadata.name));
  return {
    balancers: (services ?? []).filter(isBalancer),
    claims: (claims ?? []).filter((claim) => !claimed.has(volumeNameOf(claim) ?? '')),
    volumes: leaving,
    kept: staying.flatMap((volume) => providerIdOf(volume) ?? []).sort(),
  };
}

/** Id at the provider; undefined for volumes that are not there. */
export function providerIdOf(volume: KubeObject): string | undefined {
  const { csi, awsElasticBlockStore } = specOf(volume);
  // The name that the driver before CSI gave them: aws://us-east-1a/vol-0123.
  return csi?.volumeHandle ?? awsElasticBlockStore?.volumeID?.split('/').at(-1);
}

/** Namespace and name as people write them; only the name where there are no namespaces. */
export function qualifiedName({ metadata }: KubeObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** A Service keeps its load balancer until its finalizer goes, whatever its type is by then. */
function isBalancer({ spec, metadata }: KubeObject): boolean {
  const hasCleanup = metadata.finalizers?.includes('service.kubernetes.io/load-balancer-cleanup') === true;
  return hasCleanup || (spec as { readonly type?: string } | undefined)?.type === 'LoadBalancer';
}

function volumeNameOf({ spec }: KubeObject): string | undefined {
  return (spec as { readonly volumeName?: string } | undefined)?.volumeName;
}

function policyOf(volume: KubeObject): string | undefined {
  return specOf(volume).persistentVolumeReclaimPolicy;
}

function specOf({ spec }: KubeObject): Volume {
  return spec ?? {};
}
