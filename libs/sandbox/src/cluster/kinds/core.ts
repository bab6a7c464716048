import { z } from 'zod';
import { AGE, column, defineCoreKind, type CoreObject } from './define-core-kind.js';
import { anyObject, asSet, conditions, keyed, localReference, objectReference, quantities, texts } from './fields.js';

const namespace = z.strictObject({
  spec: z.strictObject({ finalizers: z.array(z.string()).optional() }).optional(),
  status: z.looseObject({ phase: z.string().optional(), conditions }).optional(),
});

export const NAMESPACE = defineCoreKind({
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  namespaced: false,
  body: namespace,
  hasStatus: true,
  columns: [column('Status', '.status.phase'), AGE],
  selectableFields: ['status.phase'],
});
export type Namespace = CoreObject<typeof namespace>;

const taint = z.strictObject({
  key: z.string().min(1),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
  timeAdded: z.string().optional(),
});
export type NodeTaint = z.output<typeof taint>;

const node = z.strictObject({
  spec: z
    .strictObject({
      podCIDR: z.string().optional(),
      podCIDRs: z.array(z.string()).meta(asSet).optional(),
      providerID: z.string().optional(),
      unschedulable: z.boolean().optional(),
      taints: z.array(taint).optional(),
      configSource: anyObject.optional(),
      externalID: z.string().optional(),
    })
    .prefault({}),
  status: z
    .looseObject({
      capacity: quantities.optional(),
      allocatable: quantities.optional(),
      conditions,
      addresses: z
        .array(z.looseObject({ type: z.string(), address: z.string() }))
        .meta(keyed('type'))
        .optional(),
      nodeInfo: z.looseObject({ kubeletVersion: z.string().optional() }).optional(),
    })
    .optional(),
});

export const NODE = defineCoreKind({
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  namespaced: false,
  body: node,
  hasStatus: true,
  columns: [
    column('Status', '.printed.ready'),
    column('Roles', '.printed.roles'),
    AGE,
    column('Version', '.status.nodeInfo.kubeletVersion'),
    column('Internal-IP', '.status.addresses[?(@.type=="InternalIP")].address', 'string', true),
    column('External-IP', '.printed.externalIP', 'string', true),
    column('OS-Image', '.status.nodeInfo.osImage', 'string', true),
    column('Kernel-Version', '.status.nodeInfo.kernelVersion', 'string', true),
    column('Container-Runtime', '.status.nodeInfo.containerRuntimeVersion', 'string', true),
  ],
  selectableFields: ['spec.unschedulable'],
});
export type Node = CoreObject<typeof node>;

const configMap = z.strictObject({
  data: texts.optional(),
  binaryData: texts.optional(),
  immutable: z.boolean().optional(),
});

export const CONFIG_MAP = defineCoreKind({
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  body: configMap,
  columns: [column('Data', '.printed.count', 'integer'), AGE],
});
export type ConfigMap = CoreObject<typeof configMap>;

const base64 = z.string().regex(/^[A-Za-z0-9+/\s]*={0,2}$/, 'must be base64');

const secret = z.strictObject({
  type: z.string().default('Opaque'),
  data: z.record(z.string(), base64).optional(),
  stringData: texts.optional(),
  immutable: z.boolean().optional(),
});

export const SECRET = defineCoreKind({
  kind: 'Secret',
  plural: 'secrets',
  body: secret,
  columns: [column('Type', '.type'), column('Data', '.printed.count', 'integer'), AGE],
  selectableFields: ['type'],
});
export type Secret = CoreObject<typeof secret>;

const serviceAccount = z.strictObject({
  automountServiceAccountToken: z.boolean().optional(),
  imagePullSecrets: z.array(localReference).optional(),
  secrets: z.array(objectReference).meta(keyed('name')).optional(),
});

export const SERVICE_ACCOUNT = defineCoreKind({
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  body: serviceAccount,
  columns: [column('Secrets', '.printed.count', 'integer'), AGE],
});

const event = z.strictObject({
  involvedObject: objectReference,
  reason: z.string().optional(),
  message: z.string().optional(),
  type: z.string().optional(),
  source: anyObject.optional(),
  count: z.int().optional(),
  firstTimestamp: z.string().nullish(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
  action: z.string().optional(),
  related: objectReference.optional(),
  series: anyObject.optional(),
  reportingComponent: z.string().optional(),
  reportingInstance: z.string().optional(),
});

export const EVENT = defineCoreKind({
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  body: event,
  columns: [
    column('Last Seen', '.lastTimestamp', 'date'),
    column('Type', '.type'),
    column('Reason', '.reason'),
    column('Object', '.printed.object'),
    column('Message', '.message'),
  ],
  selectableFields: [
    'involvedObject.kind',
    'involvedObject.name',
    'involvedObject.namespace',
    'involvedObject.uid',
    'reason',
    'type',
  ],
});

export const LIMIT_RANGE = defineCoreKind({
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  body: z.strictObject({ spec: z.strictObject({ limits: z.array(anyObject) }) }),
  columns: [column('Created At', '.metadata.creationTimestamp')],
});

export const RESOURCE_QUOTA = defineCoreKind({
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  body: z.strictObject({
    spec: z.strictObject({
      hard: quantities.optional(),
      scopes: z.array(z.string()).optional(),
      scopeSelector: anyObject.optional(),
    }),
    status: z.looseObject({ hard: quantities.optional(), used: quantities.optional() }).optional(),
  }),
  hasStatus: true,
  columns: [AGE, column('Request', '.printed.request'), column('Limit', '.printed.limit')],
});

export const LEASE = defineCoreKind({
  group: 'coordination.k8s.io',
  kind: 'Lease',
  plural: 'leases',
  body: z.strictObject({ spec: anyObject.optional() }),
  columns: [column('Holder', '.spec.holderIdentity'), AGE],
});

export const PRIORITY_CLASS = defineCoreKind({
  group: 'scheduling.k8s.io',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  shortNames: ['pc'],
  namespaced: false,
  body: z.strictObject({
    value: z.int(),
    globalDefault: z.boolean().optional(),
    description: z.string().optional(),
    preemptionPolicy: z.string().optional(),
  }),
  columns: [column('Value', '.value', 'integer'), column('Global-Default', '.globalDefault', 'boolean'), AGE],
});
