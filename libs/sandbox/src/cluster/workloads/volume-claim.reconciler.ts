import {
  PERSISTENT_VOLUME,
  PERSISTENT_VOLUME_CLAIM,
  STORAGE_CLASS,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '../kinds/storage.js';
import { POD, type Pod } from '../kinds/pod.js';
import type { ClusterKey, ClusterReconciler, KeysOf } from '../runtime/cluster-loop.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { collectionKey } from '../runtime/object-cache.js';
import { isInCloud, PROVISIONER_FINALIZER, provisionInCloud } from './ebs-volume.js';
import { isRefusal } from './load-balancer.reconciler.js';
import { parseQuantity } from './quantities.js';
import { ownKey } from './watch-owners.js';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
/** Keeps a claim while a pod uses it. */
const PROTECTION_FINALIZER = 'kubernetes.io/pvc-protection';
const AGAIN_MS = 1000;

const allPending: KeysOf = (_change, scope) =>
  scope.cache
    .list(PERSISTENT_VOLUME_CLAIM)
    .filter(({ spec }) => spec.volumeName === undefined)
    .map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name }));

const claimsOfPod: KeysOf = ({ key, before, after }) =>
  claimNames((after ?? before) as Pod | undefined).map((name) => ({ namespace: key.namespace, name }));

/** Binds claims to volumes that exist, or to new ones where a storage class can make them. */
export class VolumeClaimReconciler implements ClusterReconciler {
  readonly name = 'persistentvolumeclaim';
  readonly watches: ReadonlyMap<string, KeysOf> = new Map([
    [collectionKey(PERSISTENT_VOLUME_CLAIM), ownKey],
    [collectionKey(PERSISTENT_VOLUME), allPending],
    [collectionKey(STORAGE_CLASS), allPending],
    [collectionKey(POD), claimsOfPod],
  ]);

  async reconcile(key: ClusterKey, scope: ClusterScope): Promise<number | undefined> {
    const claim = scope.cache.find(PERSISTENT_VOLUME_CLAIM, key.name, key.namespace);
    if (!claim) return this.release(key, scope);
    if (claim.metadata.deletionTimestamp !== undefined) return this.letGo(claim, scope);
    try {
      return await this.serve(await scope.update(PERSISTENT_VOLUME_CLAIM, claim, protectedClaim(claim)), scope);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      scope.logger.warn('The cloud refuses', { claim: key.name, error });
      return AGAIN_MS;
    }
  }

  private async serve(claim: PersistentVolumeClaim, scope: ClusterScope): Promise<undefined> {
    if (claim.status?.phase === 'Bound') return;
    const storageClass = classOf(claim, scope);
    const volume =
      findVolume(claim, storageClass?.metadata.name, scope) ?? (await this.provision(claim, storageClass, scope));
    if (volume) return this.bind(claim, volume, scope);
    await scope.update(PERSISTENT_VOLUME_CLAIM, claim, { status: { ...claim.status, phase: 'Pending' } });
  }

  /** Not before the last pod that uses it is gone. */
  private async letGo(claim: PersistentVolumeClaim, scope: ClusterScope): Promise<undefined> {
    const { name, namespace, finalizers = [] } = claim.metadata;
    const isUsed = scope.cache.list(POD, namespace).some((pod) => isAlive(pod) && claimNames(pod).includes(name));
    if (isUsed || !finalizers.includes(PROTECTION_FINALIZER)) return;
    await scope.update(PERSISTENT_VOLUME_CLAIM, claim, {
      metadata: { ...claim.metadata, finalizers: finalizers.filter((one) => one !== PROTECTION_FINALIZER) },
    });
  }

  private async provision(
    claim: PersistentVolumeClaim,
    storageClass: StorageClass | undefined,
    scope: ClusterScope,
  ): Promise<PersistentVolume | undefined> {
    if (!storageClass) return undefined;
    const { accessModes, resources, volumeMode } = claim.spec;
    const name = `pvc-${claim.metadata.uid}`;
    const source: Pick<PersistentVolume['spec'], 'csi'> | undefined = isInCloud(storageClass)
      ? await provisionInCloud(claim, name, scope)
      : {};
    if (!source) return undefined;
    return scope.create(PERSISTENT_VOLUME, {
      metadata: { name, ...(source.csi ? { finalizers: [PROVISIONER_FINALIZER] } : {}) },
      spec: {
        ...source,
        capacity: { storage: resources.requests?.['storage'] ?? '0' },
        accessModes,
        volumeMode,
        storageClassName: storageClass.metadata.name,
        persistentVolumeReclaimPolicy: storageClass.reclaimPolicy,
      },
      status: { phase: 'Available' },
    });
  }

  private async bind(claim: PersistentVolumeClaim, volume: PersistentVolume, scope: ClusterScope): Promise<undefined> {
    const { name, namespace = '', uid } = claim.metadata;
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid };
    const status = { ...volume.status, phase: 'Bound' };
    await scope.update(PERSISTENT_VOLUME, volume, { spec: { ...volume.spec, claimRef }, status });
    await scope.update(PERSISTENT_VOLUME_CLAIM, claim, {
      spec: {
        ...claim.spec,
        volumeName: volume.metadata.name,
        storageClassName: claim.spec.storageClassName ?? volume.spec.storageClassName,
      },
      status: { ...claim.status, phase: 'Bound', accessModes: volume.spec.accessModes, capacity: volume.spec.capacity },
    });
  }

  /** The claim is gone: its volume goes too, or waits for a person. */
  private async release({ namespace, name }: ClusterKey, scope: ClusterScope): Promise<undefined> {
    const volume = scope.cache.list(PERSISTENT_VOLUME).find(({ spec }) => {
      return spec.claimRef?.name === name && spec.claimRef.namespace === namespace;
    });
    if (!volume) return;
    if (volume.spec.persistentVolumeReclaimPolicy === 'Delete') {
      await scope.remove(PERSISTENT_VOLUME, volume);
      return;
    }
    await scope.update(PERSISTENT_VOLUME, volume, { status: { ...volume.status, phase: 'Released' } });
  }
}

function protectedClaim({ metadata }: PersistentVolumeClaim): Pick<PersistentVolumeClaim, 'metadata'> {
  const { finalizers = [] } = metadata;
  if (finalizers.includes(PROTECTION_FINALIZER)) return { metadata };
  return { metadata: { ...metadata, finalizers: [...finalizers, PROTECTION_FINALIZER] } };
}

function claimNames(pod: Pod | undefined): string[] {
  return (pod?.spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => (claim ? [claim.claimName] : []));
}

/** On a node, and not done. */
function isAlive({ spec, status }: Pod): boolean {
  return spec.nodeName !== undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

function classOf(claim: PersistentVolumeClaim, scope: ClusterScope): StorageClass | undefined {
  const { storageClassName } = claim.spec;
  if (storageClassName !== undefined) return scope.cache.find(STORAGE_CLASS, storageClassName);
  return scope.cache.list(STORAGE_CLASS).find(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true');
}

function findVolume(
  claim: PersistentVolumeClaim,
  className: string | undefined,
  scope: ClusterScope,
): PersistentVolume | undefined {
  const wanted = parseQuantity(claim.spec.resources.requests?.['storage']);
  const volumes = scope.cache.list(PERSISTENT_VOLUME);
  const ours = volumes.find(({ spec }) => spec.claimRef?.uid === claim.metadata.uid);
  if (ours) return ours;
  const named = volumes.filter(({ metadata }) => (claim.spec.volumeName ?? metadata.name) === metadata.name);
  const free = named.filter(({ spec, status }) => spec.claimRef === undefined && status?.phase !== 'Released');
  return free.find(({ spec }) => {
    const isSameClass = (spec.storageClassName ?? '') === (className ?? claim.spec.storageClassName ?? '');
    const hasModes = claim.spec.accessModes.every((mode) => spec.accessModes.includes(mode));
    return isSameClass && hasModes && parseQuantity(spec.capacity['storage']) >= wanted;
  });
}
