import {
  PERSISTENT_VOLUME,
  PERSISTENT_VOLUME_CLAIM,
  STORAGE_CLASS,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '../kinds/storage.js';
import type { ClusterKey, ClusterReconciler, KeysOf } from '../runtime/cluster-loop.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { collectionKey } from '../runtime/object-cache.js';
import { parseQuantity } from './quantities.js';
import { ownKey } from './watch-owners.js';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

const allPending: KeysOf = (_change, scope) =>
  scope.cache
    .list(PERSISTENT_VOLUME_CLAIM)
    .filter(({ spec }) => spec.volumeName === undefined)
    .map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name }));

/** Binds claims to volumes that exist, or to new ones where a storage class can make them. */
export class VolumeClaimReconciler implements ClusterReconciler {
  readonly name = 'persistentvolumeclaim';
  readonly watches: ReadonlyMap<string, KeysOf> = new Map([
    [collectionKey(PERSISTENT_VOLUME_CLAIM), ownKey],
    [collectionKey(PERSISTENT_VOLUME), allPending],
    [collectionKey(STORAGE_CLASS), allPending],
  ]);

  async reconcile(key: ClusterKey, scope: ClusterScope): Promise<undefined> {
    const claim = scope.cache.find(PERSISTENT_VOLUME_CLAIM, key.name, key.namespace);
    if (!claim) return this.release(key, scope);
    if (claim.metadata.deletionTimestamp !== undefined || claim.status?.phase === 'Bound') return;
    const storageClass = classOf(claim, scope);
    const volume =
      findVolume(claim, storageClass?.metadata.name, scope) ?? (await this.provision(claim, storageClass, scope));
    if (volume) return this.bind(claim, volume, scope);
    await scope.update(PERSISTENT_VOLUME_CLAIM, claim, { status: { ...claim.status, phase: 'Pending' } });
  }

  private async provision(
    claim: PersistentVolumeClaim,
    storageClass: StorageClass | undefined,
    scope: ClusterScope,
  ): Promise<PersistentVolume | undefined> {
    if (!storageClass) return undefined;
    const { accessModes, resources, volumeMode } = claim.spec;
    return scope.create(PERSISTENT_VOLUME, {
      metadata: { name: `pvc-${claim.metadata.uid}` },
      spec: {
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
