import { SCALE_SUBRESOURCE } from '@crate/api';
import { z } from 'zod';
import { AGE, column, defineCoreKind, type CoreObject } from './define-core-kind.js';
import { anyObject, conditions, intOrString, labelSelector, texts } from './fields.js';
import { podTemplate } from './pod-spec.js';
import { persistentVolumeClaimSpec } from './storage.js';

const APPS = { group: 'apps', version: 'v1', categories: ['all'], hasStatus: true } as const;

const counts = {
  observedGeneration: z.int().optional(),
  replicas: z.int().optional(),
  readyReplicas: z.int().optional(),
  availableReplicas: z.int().optional(),
  updatedReplicas: z.int().optional(),
  unavailableReplicas: z.int().optional(),
  collisionCount: z.int().optional(),
  conditions,
};

const replicas = z.int().min(0).default(1);
const rollingUpdate = z.strictObject({
  maxUnavailable: intOrString.default('25%'),
  maxSurge: intOrString.default('25%'),
});

const deployment = z.strictObject({
  spec: z.strictObject({
    replicas,
    selector: labelSelector,
    template: podTemplate,
    strategy: z
      .strictObject({
        type: z.enum(['RollingUpdate', 'Recreate']).default('RollingUpdate'),
        rollingUpdate: rollingUpdate.optional(),
      })
      .prefault({}),
    minReadySeconds: z.int().min(0).optional(),
    revisionHistoryLimit: z.int().min(0).default(10),
    progressDeadlineSeconds: z.int().min(1).default(600),
    paused: z.boolean().optional(),
  }),
  status: z.looseObject(counts).optional(),
});

const containersAndImages = [
  column('Containers', '.printed.containers', 'string', true),
  column('Images', '.printed.images', 'string', true),
];
const selectorColumn = column('Selector', '.printed.selector', 'string', true);

export const DEPLOYMENT = defineCoreKind({
  ...APPS,
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  body: deployment,
  columns: [
    column('Ready', '.printed.ready'),
    column('Up-to-date', '.printed.updatedReplicas', 'integer'),
    column('Available', '.printed.availableReplicas', 'integer'),
    AGE,
    ...containersAndImages,
    selectorColumn,
  ],
  subresources: [SCALE_SUBRESOURCE],
});
export type Deployment = CoreObject<typeof deployment>;

const replicaSet = z.strictObject({
  spec: z.strictObject({
    replicas,
    selector: labelSelector,
    template: podTemplate,
    minReadySeconds: z.int().min(0).optional(),
  }),
  status: z.looseObject({ ...counts, fullyLabeledReplicas: z.int().optional() }).optional(),
});

export const REPLICA_SET = defineCoreKind({
  ...APPS,
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  body: replicaSet,
  columns: [
    column('Desired', '.spec.replicas', 'integer'),
    column('Current', '.printed.replicas', 'integer'),
    column('Ready', '.printed.readyReplicas', 'integer'),
    AGE,
    ...containersAndImages,
    selectorColumn,
  ],
  subresources: [SCALE_SUBRESOURCE],
});
export type ReplicaSet = CoreObject<typeof replicaSet>;

const daemonSet = z.strictObject({
  spec: z.strictObject({
    selector: labelSelector,
    template: podTemplate,
    updateStrategy: z
      .strictObject({
        type: z.enum(['RollingUpdate', 'OnDelete']).default('RollingUpdate'),
        rollingUpdate: z
          .strictObject({ maxUnavailable: intOrString.default(1), maxSurge: intOrString.default(0) })
          .optional(),
      })
      .prefault({}),
    minReadySeconds: z.int().min(0).optional(),
    revisionHistoryLimit: z.int().min(0).default(10),
  }),
  status: z
    .looseObject({
      observedGeneration: z.int().optional(),
      desiredNumberScheduled: z.int().optional(),
      currentNumberScheduled: z.int().optional(),
      numberReady: z.int().optional(),
      numberAvailable: z.int().optional(),
      numberUnavailable: z.int().optional(),
      numberMisscheduled: z.int().optional(),
      updatedNumberScheduled: z.int().optional(),
      conditions,
    })
    .optional(),
});

export const DAEMON_SET = defineCoreKind({
  ...APPS,
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  body: daemonSet,
  columns: [
    column('Desired', '.status.desiredNumberScheduled', 'integer'),
    column('Current', '.status.currentNumberScheduled', 'integer'),
    column('Ready', '.status.numberReady', 'integer'),
    column('Up-to-date', '.printed.updatedNumberScheduled', 'integer'),
    column('Available', '.printed.numberAvailable', 'integer'),
    column('Node Selector', '.printed.nodeSelector'),
    AGE,
    ...containersAndImages,
    selectorColumn,
  ],
});
export type DaemonSet = CoreObject<typeof daemonSet>;

/** A claim as a whole, which is why it may say so. */
const claimTemplate = z.looseObject({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  metadata: z.looseObject({ name: z.string(), labels: texts.optional(), annotations: texts.optional() }),
  spec: persistentVolumeClaimSpec,
});

const statefulSet = z.strictObject({
  spec: z.strictObject({
    replicas,
    selector: labelSelector,
    template: podTemplate,
    serviceName: z.string().default(''),
    podManagementPolicy: z.enum(['OrderedReady', 'Parallel']).default('OrderedReady'),
    updateStrategy: z
      .strictObject({
        type: z.enum(['RollingUpdate', 'OnDelete']).default('RollingUpdate'),
        rollingUpdate: z
          .strictObject({ partition: z.int().min(0).default(0), maxUnavailable: intOrString.optional() })
          .optional(),
      })
      .prefault({}),
    volumeClaimTemplates: z.array(claimTemplate).optional(),
    persistentVolumeClaimRetentionPolicy: anyObject.optional(),
    ordinals: z.strictObject({ start: z.int().min(0).default(0) }).optional(),
    minReadySeconds: z.int().min(0).optional(),
    revisionHistoryLimit: z.int().min(0).default(10),
  }),
  status: z
    .looseObject({
      ...counts,
      currentReplicas: z.int().optional(),
      currentRevision: z.string().optional(),
      updateRevision: z.string().optional(),
    })
    .optional(),
});

export const STATEFUL_SET = defineCoreKind({
  ...APPS,
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  body: statefulSet,
  columns: [column('Ready', '.printed.ready'), AGE, ...containersAndImages],
  subresources: [SCALE_SUBRESOURCE],
});
export type StatefulSet = CoreObject<typeof statefulSet>;

const controllerRevision = z.strictObject({ data: anyObject.optional(), revision: z.int() });

export const CONTROLLER_REVISION = defineCoreKind({
  group: 'apps',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  body: controllerRevision,
  columns: [column('Revision', '.revision', 'integer'), AGE],
});
export type ControllerRevision = CoreObject<typeof controllerRevision>;
