import type { JsonObject } from '../apply/json.js';

const PREFIX = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Names of the shared schemas, as clients know them. */
export const OBJECT_META = `${PREFIX}.ObjectMeta`;
export const LIST_META = `${PREFIX}.ListMeta`;
export const DELETE_OPTIONS = `${PREFIX}.DeleteOptions`;
export const STATUS = `${PREFIX}.Status`;
export const PATCH = `${PREFIX}.Patch`;
const OWNER_REFERENCE = `${PREFIX}.OwnerReference`;

const string = (description: string): JsonObject => ({ type: 'string', description });
const time = (description: string): JsonObject => ({ type: 'string', format: 'date-time', description });
const stringMap = (description: string): JsonObject => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string', default: '' },
});

/** A reference to a schema of the same document. */
export function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** Schemas every group's document needs. Source: the OpenAPI document of Kubernetes. */
export const METADATA_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  [OWNER_REFERENCE]: {
    type: 'object',
    description: 'An owner of the object: when all owners are gone the object is deleted.',
    required: ['apiVersion', 'kind', 'name', 'uid'],
    properties: {
      apiVersion: string('API version of the owner'),
      kind: string('Kind of the owner'),
      name: string('Name of the owner'),
      uid: string('UID of the owner'),
      controller: { type: 'boolean', description: 'The owner manages the object' },
      blockOwnerDeletion: { type: 'boolean', description: 'A foreground deletion of the owner waits for the object' },
    },
    'x-kubernetes-map-type': 'atomic',
  },
  [OBJECT_META]: {
    type: 'object',
    description: 'Metadata that all objects have.',
    properties: {
      name: string('Unique within its namespace and kind; cannot change'),
      generateName: string('Prefix of a name that the server makes unique'),
      namespace: string('Space within which the name is unique'),
      uid: string('Unique in time and space; set by the server'),
      resourceVersion: string('Version of the object; opaque, for optimistic concurrency and watches'),
      generation: { type: 'integer', format: 'int64', description: 'Moves with the desired state; set by the server' },
      creationTimestamp: time('When the object was created; set by the server'),
      deletionTimestamp: time('When deletion was asked for; set by the server'),
      deletionGracePeriodSeconds: { type: 'integer', format: 'int64' },
      labels: stringMap('Keys and values that selectors match'),
      annotations: stringMap('Keys and values for tools and people'),
      finalizers: {
        type: 'array',
        description: 'The object stays until this list is empty',
        items: { type: 'string', default: '' },
        'x-kubernetes-list-type': 'set',
        'x-kubernetes-patch-strategy': 'merge',
      },
      ownerReferences: {
        type: 'array',
        description: 'Objects this one depends on',
        items: { allOf: [reference(OWNER_REFERENCE)], default: {} },
        'x-kubernetes-list-map-keys': ['uid'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'uid',
        'x-kubernetes-patch-strategy': 'merge',
      },
      managedFields: { type: 'array', description: 'Who owns which fields', items: { type: 'object' } },
    },
  },
  [LIST_META]: {
    type: 'object',
    description: 'Metadata that all lists have.',
    properties: {
      resourceVersion: string('Version of the snapshot'),
      continue: string('Token for the next page'),
      remainingItemCount: { type: 'integer', format: 'int64' },
    },
  },
  [DELETE_OPTIONS]: {
    type: 'object',
    description: 'How an object is deleted.',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      dryRun: { type: 'array', items: { type: 'string', default: '' } },
      gracePeriodSeconds: { type: 'integer', format: 'int64' },
      orphanDependents: { type: 'boolean' },
      propagationPolicy: { type: 'string' },
      preconditions: {
        type: 'object',
        properties: { uid: { type: 'string' }, resourceVersion: { type: 'string' } },
      },
    },
  },
  [STATUS]: {
    type: 'object',
    description: 'The outcome of a call that returns no object.',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: reference(LIST_META),
      status: { type: 'string' },
      message: { type: 'string' },
      reason: { type: 'string' },
      code: { type: 'integer', format: 'int32' },
      details: { type: 'object' },
    },
  },
  [PATCH]: { type: 'object', description: 'A patch in the format that the Content-Type names.' },
};
