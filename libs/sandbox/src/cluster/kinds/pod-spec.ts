import { z } from 'zod';
import { container } from './container.js';
import {
  anyObject,
  asAtomicMap,
  keyed,
  labelSelector,
  localReference,
  quantities,
  templateMetadata,
  texts,
} from './fields.js';

/** Volume sources whose content the simulation gives no meaning. */
const OPAQUE_SOURCES = [
  ...['hostPath', 'emptyDir', 'gcePersistentDisk', 'awsElasticBlockStore', 'gitRepo', 'nfs', 'iscsi', 'glusterfs'],
  ...['rbd', 'flexVolume', 'cinder', 'cephfs', 'flocker', 'downwardAPI', 'fc', 'azureFile', 'vsphereVolume', 'quobyte'],
  ...[
    'azureDisk',
    'photonPersistentDisk',
    'projected',
    'portworxVolume',
    'scaleIO',
    'storageos',
    'csi',
    'ephemeral',
    'image',
  ],
] as const;

const opaqueSources = Object.fromEntries(OPAQUE_SOURCES.map((name) => [name, anyObject.optional()])) as Record<
  (typeof OPAQUE_SOURCES)[number],
  z.ZodOptional<typeof anyObject>
>;

const mode = z.int().min(0).max(0o777).optional();
/** What volumes of files say beside whose they are; kubectl refuses what the published schema does not know. */
const files = {
  items: z.array(z.strictObject({ key: z.string(), path: z.string(), mode })).optional(),
  defaultMode: mode,
  optional: z.boolean().optional(),
};

const volume = z.strictObject({
  name: z.string().min(1),
  configMap: z.strictObject({ name: z.string().optional(), ...files }).optional(),
  secret: z.strictObject({ secretName: z.string().optional(), ...files }).optional(),
  persistentVolumeClaim: z.strictObject({ claimName: z.string().min(1), readOnly: z.boolean().optional() }).optional(),
  ...opaqueSources,
});

export const toleration = z.strictObject({
  key: z.string().optional(),
  operator: z.enum(['Exists', 'Equal']).optional(),
  value: z.string().optional(),
  effect: z.enum(['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
  tolerationSeconds: z.int().optional(),
});

export type Toleration = z.output<typeof toleration>;

const nodeTerm = z.strictObject({
  matchExpressions: z
    .array(
      z.strictObject({
        key: z.string(),
        operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']),
        values: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  matchFields: z.array(anyObject).optional(),
});

const affinity = z.strictObject({
  nodeAffinity: z
    .looseObject({
      requiredDuringSchedulingIgnoredDuringExecution: z
        .strictObject({ nodeSelectorTerms: z.array(nodeTerm).min(1) })
        .optional(),
    })
    .optional(),
  podAffinity: anyObject.optional(),
  podAntiAffinity: z
    .looseObject({
      requiredDuringSchedulingIgnoredDuringExecution: z
        .array(z.looseObject({ labelSelector: labelSelector.optional(), topologyKey: z.string() }))
        .optional(),
    })
    .optional(),
});

/** Source: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#PodSpec */
export const podSpec = z.strictObject({
  containers: z.array(container).min(1, 'Required value').meta(keyed('name')),
  initContainers: z.array(container).meta(keyed('name')).optional(),
  ephemeralContainers: z.array(anyObject).optional(),
  volumes: z.array(volume).meta(keyed('name')).optional(),
  restartPolicy: z.enum(['Always', 'OnFailure', 'Never']).default('Always'),
  terminationGracePeriodSeconds: z.int().min(0).default(30),
  activeDeadlineSeconds: z.int().min(1).optional(),
  dnsPolicy: z.enum(['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']).default('ClusterFirst'),
  dnsConfig: anyObject.optional(),
  nodeSelector: texts.meta(asAtomicMap).optional(),
  serviceAccountName: z.string().optional(),
  serviceAccount: z.string().optional(),
  automountServiceAccountToken: z.boolean().optional(),
  nodeName: z.string().optional(),
  hostNetwork: z.boolean().optional(),
  hostPID: z.boolean().optional(),
  hostIPC: z.boolean().optional(),
  hostUsers: z.boolean().optional(),
  shareProcessNamespace: z.boolean().optional(),
  securityContext: anyObject.prefault({}),
  imagePullSecrets: z.array(localReference).meta(keyed('name')).optional(),
  hostname: z.string().optional(),
  hostnameOverride: z.string().optional(),
  subdomain: z.string().optional(),
  setHostnameAsFQDN: z.boolean().optional(),
  affinity: affinity.optional(),
  schedulerName: z.string().default('default-scheduler'),
  tolerations: z.array(toleration).optional(),
  hostAliases: z.array(anyObject).optional(),
  priorityClassName: z.string().optional(),
  priority: z.int().optional(),
  preemptionPolicy: z.string().optional(),
  readinessGates: z.array(anyObject).optional(),
  runtimeClassName: z.string().optional(),
  enableServiceLinks: z.boolean().optional(),
  overhead: quantities.optional(),
  topologySpreadConstraints: z.array(anyObject).optional(),
  os: anyObject.optional(),
  schedulingGates: z.array(anyObject).optional(),
  resourceClaims: z.array(anyObject).optional(),
  resources: anyObject.optional(),
});

export type PodSpec = z.output<typeof podSpec>;

/** What pods are made from. */
export const podTemplate = z.strictObject({ metadata: templateMetadata.optional(), spec: podSpec });

export type PodTemplate = z.output<typeof podTemplate>;
