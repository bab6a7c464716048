import { PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, type PersistentVolume } from '../kinds/storage.js';
import type { ClusterKey, ClusterReconciler, KeysOf } from '../runtime/cluster-loop.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { collectionKey } from '../runtime/object-cache.js';
import { cloudVolumeOf, PROVISIONER_FINALIZER } from './ebs-volume.js';
import { isRefusal } from './load-balancer.reconciler.js';
import { ownKey } from './watch-owners.js';

const AGAIN_MS = 1000;

const volumeOfClaim: KeysOf = ({ before, after }, scope) => {
  const uid = (after ?? before)?.metadata.uid;
  return scope.cache
    .list(PERSISTENT_VOLUME)
    .filter(({ spec }) => spec.claimRef?.uid === uid)
    .map(({ metadata }) => ({ namespace: '', name: metadata.name }));
};

/** Takes volumes in the cloud away with the PersistentVolumes that stand for them. */
export class VolumeReconciler implements ClusterReconciler {
  readonly name = 'persistentvolume';
  readonly watches: ReadonlyMap<string, KeysOf> = new Map([
    [collectionKey(PERSISTENT_VOLUME), ownKey],
    [collectionKey(PERSISTENT_VOLUME_CLAIM), volumeOfClaim],
  ]);

  async reconcile({ name }: ClusterKey, scope: ClusterScope): Promise<number | undefined> {
    const volume = scope.cache.find(PERSISTENT_VOLUME, name);
    // As long as it is claimed, its data is somebody's.
    if (volume?.metadata.deletionTimestamp === undefined || isClaimed(volume, scope)) return;
    try {
      if (!(await this.takeAway(volume, scope))) return AGAIN_MS;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      scope.logger.warn('The cloud refuses', { volume: name, error });
      return AGAIN_MS;
    }
    const finalizers = (volume.metadata.finalizers ?? []).filter((one) => one !== PROVISIONER_FINALIZER);
    await scope.update(PERSISTENT_VOLUME, volume, { metadata: { ...volume.metadata, finalizers } });
  }

  /** False while there is nobody to do it. */
  private async takeAway(volume: PersistentVolume, scope: ClusterScope): Promise<boolean> {
    const id = cloudVolumeOf(volume);
    if (id === undefined) return true;
    const machine = scope.controllerMachine();
    if (!scope.cloud || machine === undefined) return false;
    await scope.cloud.removeVolume(machine, id);
    return true;
  }
}

function isClaimed({ spec: { claimRef } }: PersistentVolume, scope: ClusterScope): boolean {
  if (!claimRef) return false;
  const claim = scope.cache.find(PERSISTENT_VOLUME_CLAIM, claimRef.name ?? '', claimRef.namespace ?? '');
  return claim?.metadata.uid === claimRef.uid;
}
