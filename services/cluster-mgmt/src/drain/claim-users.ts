import type { KubeObject } from '@crate/api';
import type { TargetCluster, TargetRef } from '@crate/kubernetes';
import { DELETION_MANAGER } from './freeze.js';

interface PodSpec {
  readonly volumes?: readonly {
    readonly name: string;
    readonly persistentVolumeClaim?: { readonly claimName: string };
    /** Of a claim that lives and goes with the pod. */
    readonly ephemeral?: unknown;
  }[];
}

/** Workloads that are told to have no pods; what else makes pods gets them deleted. */
const SCALED: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet']);
const MOST_OWNERS = 3;

/** Pods that use a claim, by `namespace/name` of the claim. */
export async function podsOfClaims(
  target: TargetCluster,
  claims: readonly KubeObject[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly KubeObject[]>> {
  const namespaces = new Set(claims.map(({ metadata }) => metadata.namespace ?? ''));
  const users = new Map<string, KubeObject[]>();
  for (const namespace of namespaces) {
    const { items } = await target.list('v1', 'Pod', { namespace }, signal);
    for (const pod of items.filter(isAlive)) {
      for (const claim of claimsOf(pod)) {
        const key = `${namespace}/${claim}`;
        users.set(key, [...(users.get(key) ?? []), pod]);
      }
    }
  }
  return users;
}

/** Stops a pod for good: what made it is scaled to nothing, then the pod itself is deleted. Idempotent. */
export async function stopPod(target: TargetCluster, pod: KubeObject, signal: AbortSignal): Promise<void> {
  const top = await topOwner(target, pod, signal);
  if (top && SCALED.has(top.kind)) await scaleToNothing(target, top, signal);
  if (pod.metadata.deletionTimestamp === undefined) await target.remove(refOf(pod), signal);
}

async function scaleToNothing(target: TargetCluster, owner: KubeObject, signal: AbortSignal): Promise<void> {
  if ((owner.spec as { readonly replicas?: number } | undefined)?.replicas === 0) return;
  const { apiVersion, kind } = owner;
  const { name, namespace } = owner.metadata;
  const scaled = {
    apiVersion,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: { replicas: 0 },
  };
  await target.applyObject(scaled, { fieldManager: DELETION_MANAGER, force: true }, signal);
}

/** The controller at the end of the chain, such as the Deployment of a ReplicaSet of a pod. */
async function topOwner(target: TargetCluster, pod: KubeObject, signal: AbortSignal): Promise<KubeObject | undefined> {
  let current: KubeObject | undefined;
  let object: KubeObject = pod;
  for (let step = 0; step < MOST_OWNERS; step += 1) {
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (!owner) break;
    const { apiVersion, kind, name } = owner;
    const found = await target.find({ ...refOf(object), apiVersion, kind, name }, signal);
    if (!found) break;
    current = found;
    object = found;
  }
  return current;
}

export function refOf({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): TargetRef {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

function claimsOf({ metadata, spec }: KubeObject): string[] {
  const { volumes = [] } = (spec ?? {}) as PodSpec;
  return volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
    ephemeral === undefined ? (persistentVolumeClaim?.claimName ?? []) : `${metadata.name}-${name}`,
  );
}

function isAlive({ status }: KubeObject): boolean {
  const { phase } = (status ?? {}) as { readonly phase?: string };
  return phase !== 'Succeeded' && phase !== 'Failed';
}
