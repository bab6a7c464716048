import { z } from 'zod';
import { AGE, column, defineCoreKind, type CoreObject } from './define-core-kind.js';
import { anyObject, conditions, labelSelector, objectReference, quantities } from './fields.js';

const accessModes = z.array(z.enum(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod']));

export const persistentVolumeClaimSpec = z.strictObject({
  accessModes: accessModes.min(1, 'Required value'),
  resources: z.strictObject({ requests: quantities.optional(), limits: quantities.optional() }),
  selector: labelSelector.optional(),
  storageClassName: z.string().optional(),
  volumeMode: z.enum(['Filesystem', 'Block']).default('Filesystem'),
  volumeName: z.string().optional(),
  volumeAttributesClassName: z.string().optional(),
  dataSource: anyObject.optional(),
  dataSourceRef: anyObject.optional(),
});

const claim = z.strictObject({
  spec: persistentVolumeClaimSpec,
  status: z
    .looseObject({
      phase: z.string().optional(),
      accessModes: z.array(z.string()).optional(),
      capacity: quantities.optional(),
      conditions,
    })
    .optional(),
});

export const PERSISTENT_VOLUME_CLAIM = defineCoreKind({
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  body: claim,
  hasStatus: true,
  columns: [
    column('Status', '.status.phase'),
    column('Volume', '.spec.volumeName'),
    column('Capacity', '.status.capacity.storage'),
    column('Access Modes', '.printed.accessModes'),
    column('StorageClass', '.spec.storageClassName'),
    AGE,
    column('VolumeMode', '.spec.volumeMode', 'string', true),
  ],
});
export type PersistentVolumeClaim = CoreObject<typeof claim>;

const volume = z.strictObject({
  spec: z.looseObject({
    capacity: quantities,
    accessModes: accessModes.min(1, 'Required value'),
    persistentVolumeReclaimPolicy: z.enum(['Retain', 'Recycle', 'Delete']).default('Retain'),
    storageClassName: z.string().optional(),
    volumeMode: z.enum(['Filesystem', 'Block']).default('Filesystem'),
    claimRef: objectReference.optional(),
    csi: z.looseObject({ driver: z.string(), volumeHandle: z.string() }).optional(),
  }),
  status: z.looseObject({ phase: z.string().optional() }).optional(),
});

export const PERSISTENT_VOLUME = defineCoreKind({
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  shortNames: ['pv'],
  namespaced: false,
  body: volume,
  hasStatus: true,
  columns: [
    column('Capacity', '.spec.capacity.storage'),
    column('Access Modes', '.printed.accessModes'),
    column('Reclaim Policy', '.spec.persistentVolumeReclaimPolicy'),
    column('Status', '.status.phase'),
    column('Claim', '.printed.claim'),
    column('StorageClass', '.spec.storageClassName'),
    AGE,
  ],
});
export type PersistentVolume = CoreObject<typeof volume>;

const storageClass = z.strictObject({
  provisioner: z.string().min(1, 'Required value'),
  parameters: z.record(z.string(), z.string()).optional(),
  reclaimPolicy: z.enum(['Retain', 'Delete']).default('Delete'),
  volumeBindingMode: z.enum(['Immediate', 'WaitForFirstConsumer']).default('Immediate'),
  allowVolumeExpansion: z.boolean().optional(),
  mountOptions: z.array(z.string()).optional(),
  allowedTopologies: z.array(anyObject).optional(),
});

export const STORAGE_CLASS = defineCoreKind({
  group: 'storage.k8s.io',
  kind: 'StorageClass',
  plural: 'storageclasses',
  shortNames: ['sc'],
  namespaced: false,
  body: storageClass,
  columns: [
    column('Provisioner', '.provisioner'),
    column('ReclaimPolicy', '.reclaimPolicy'),
    column('VolumeBindingMode', '.volumeBindingMode'),
    column('AllowVolumeExpansion', '.allowVolumeExpansion', 'boolean'),
    AGE,
  ],
});
export type StorageClass = CoreObject<typeof storageClass>;

const csiDriver = z.strictObject({ spec: anyObject });

/** What a driver of volumes says of itself. The volumes of claims come from the cloud's boundary, whether pods of a driver run or not. */
export const CSI_DRIVER = defineCoreKind({
  group: 'storage.k8s.io',
  kind: 'CSIDriver',
  plural: 'csidrivers',
  namespaced: false,
  body: csiDriver,
  columns: [
    column('AttachRequired', '.spec.attachRequired', 'boolean'),
    column('PodInfoOnMount', '.spec.podInfoOnMount', 'boolean'),
    AGE,
  ],
});
