import type { KubeObject } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';
import type { FoundBlocker } from '@crate/reconcile';
import { podsOfClaims, refOf, stopPod } from './claim-users.js';
import { listCloudObjects, providerIdOf, qualifiedName, type CloudObjects } from './cloud-objects.js';
import { freezeCloudObjects } from './freeze.js';
import { tryEach } from './try-each.js';

const REMEDY =
  'Look at its events in the cluster; what is not gone in time is looked for and removed at the provider itself';

/** What one look at a cluster that is to go came to. */
export interface Drained {
  /** What is at the provider still; empty: nothing, and nothing can come any more. */
  readonly left: readonly FoundBlocker[];
  /** Volumes at the provider that are kept. */
  readonly kept: readonly string[];
  /** The first thing that the cluster refused, such as for a webhook that does not answer. Nothing is proved while there is one. */
  readonly refusal?: unknown;
}

/**
 * Takes away what a cluster has at the provider, as far as it goes without waiting: call again until nothing is left. What is refused
 * keeps nothing else. Idempotent.
 */
export async function drainCluster(target: TargetCluster, signal: AbortSignal): Promise<Drained> {
  // First, or what comes after the look would be left behind.
  const unfrozen = await freezeCloudObjects(target, signal);
  const found = await listCloudObjects(target, signal);
  const going = [...found.balancers, ...found.claims].filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  const unremoved = await tryEach(going, (object) => target.remove(refOf(object), signal));
  // A claim that is being deleted takes no new pods, so its pods go for good.
  const users = await podsOfClaims(target, found.claims, signal);
  const unstopped = await tryEach([...users.values()].flat(), (pod) => stopPod(target, pod, signal));
  const left = await blockersOf(target, found, users, signal);
  const refusal = unfrozen ?? unremoved ?? unstopped;
  return { left, kept: found.kept, ...(refusal === undefined ? {} : { refusal }) };
}

/** What was found and is there after all was asked to go. */
async function blockersOf(
  target: TargetCluster,
  { balancers, claims, volumes }: CloudObjects,
  users: ReadonlyMap<string, readonly KubeObject[]>,
  signal: AbortSignal,
): Promise<readonly FoundBlocker[]> {
  const isLeft = async (object: KubeObject): Promise<boolean> => {
    const now = await target.find(refOf(object), signal);
    return now?.metadata.uid === object.metadata.uid;
  };
  const left = async (objects: readonly KubeObject[]): Promise<KubeObject[]> => {
    const states = await Promise.all(objects.map(isLeft));
    return objects.filter((_, index) => states[index]);
  };
  return [
    ...(await left(balancers)).map(balancerBlocker),
    ...(await left(claims)).map((claim) => claimBlocker(claim, users.get(qualifiedName(claim)) ?? [])),
    ...(await left(volumes)).map(volumeBlocker),
  ];
}

function balancerBlocker(service: KubeObject): FoundBlocker {
  const { loadBalancer } = (service.status ?? {}) as {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly hostname?: string; readonly ip?: string }[] };
  };
  const [address] = loadBalancer?.ingress ?? [];
  const which = address?.hostname ?? address?.ip;
  const message =
    which === undefined ? 'Its load balancer is not gone yet' : `Its load balancer ${which} is not gone yet`;
  return { kind: 'Service', name: qualifiedName(service), reason: 'LoadBalancerLeft', message, remedy: REMEDY };
}

function claimBlocker(claim: KubeObject, pods: readonly KubeObject[]): FoundBlocker {
  const named = { kind: 'PersistentVolumeClaim', name: qualifiedName(claim), remedy: REMEDY };
  const names = pods.map(({ metadata }) => metadata.name).sort();
  if (names.length === 0) return { ...named, reason: 'VolumeLeft', message: 'Its volume is not gone yet' };
  return { ...named, reason: 'VolumeInUse', message: `Its volume is used by pod ${names.slice(0, 3).join(', ')}` };
}

function volumeBlocker(volume: KubeObject): FoundBlocker {
  const id = providerIdOf(volume);
  const message = id === undefined ? 'The volume is not gone yet' : `Volume ${id} is not gone yet`;
  return { kind: 'PersistentVolume', name: volume.metadata.name, reason: 'VolumeLeft', message, remedy: REMEDY };
}
