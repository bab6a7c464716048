import type { KubeObject } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';
import { refusal } from '../refusal.js';

/** The volume of a server. */
export interface ServerStorage {
  readonly size: string;
  /** Absent: the cluster's default. */
  readonly storageClass?: string;
}

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const SIZE = '20Gi';

/** Throws Conflict (`StorageMissing`) when the cluster has no class of this name, or no default one. */
export async function storageOf(cluster: TargetCluster, storageClass: string | undefined): Promise<ServerStorage> {
  const { items } = await cluster.list('storage.k8s.io/v1', 'StorageClass');
  const isMeant = ({ metadata }: KubeObject): boolean =>
    storageClass === undefined ? metadata.annotations?.[DEFAULT_CLASS] === 'true' : metadata.name === storageClass;
  if (items.some(isMeant)) return { size: SIZE, ...(storageClass === undefined ? {} : { storageClass }) };
  throw storageMissing(
    storageClass === undefined
      ? 'The platform cluster has no default StorageClass, so its PostgreSQL gets no volume'
      : `The platform cluster has no StorageClass ${storageClass}`,
  );
}

function storageMissing(message: string): Error {
  return refusal({
    ...{ reason: 'StorageMissing', message },
    remedy:
      'Wait for the add-on of its cloud that makes volumes, or give another driver and a StorageClass with --objects, or a PostgreSQL of your own with --database-url-file; then run the command again',
  });
}
