import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../kinds/storage.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { parseQuantity } from './quantities.js';

/** Keeps a PersistentVolume until its volume in the cloud is gone. */
export const PROVISIONER_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';

/** The EBS CSI driver, by its own name and by that of what it took the place of. */
const PROVISIONERS = ['ebs.csi.aws.com', 'kubernetes.io/aws-ebs'];
const DRIVER = 'ebs.csi.aws.com';
const GIB = 2 ** 30;

/** Whether volumes of the class are made in the cloud. */
export function isInCloud({ provisioner }: StorageClass): boolean {
  return PROVISIONERS.includes(provisioner);
}

/** Fields of the PersistentVolume that stands for a new volume in the cloud; undefined where nobody can make one. */
export async function provisionInCloud(
  { metadata, spec }: PersistentVolumeClaim,
  name: string,
  scope: ClusterScope,
): Promise<Pick<PersistentVolume['spec'], 'csi'> | undefined> {
  const machine = scope.controllerMachine();
  if (machine === undefined) return undefined;
  const sizeGiB = Math.max(1, Math.ceil(parseQuantity(spec.resources.requests?.['storage']) / GIB));
  const wanted = { name, namespace: metadata.namespace ?? '', claim: metadata.name, sizeGiB };
  const volumeHandle = await scope.cloud?.ensureVolume(machine, wanted);
  return volumeHandle === undefined ? undefined : { csi: { driver: DRIVER, fsType: 'ext4', volumeHandle } };
}

/** Id in the cloud; undefined for volumes that are not there. */
export function cloudVolumeOf({ spec }: PersistentVolume): string | undefined {
  return spec.csi?.driver === DRIVER ? spec.csi.volumeHandle : undefined;
}
