import type { JsonObject } from '@crate/api';
import { reference, SHARED } from './schema-names.js';

const string = (description: string): JsonObject => ({ type: 'string', description });
const time = (description: string): JsonObject => ({ type: 'string', format: 'date-time', description });
const stringMap = (description: string): JsonObject => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string', default: '' },
});

/** What every object and list says of itself. Source: the OpenAPI document of Kubernetes. */
export const METADATA_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  [SHARED.ownerReference]: {
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
  [SHARED.managedFields]: {
    type: 'object',
    description: "One manager's share of the fields of an object.",
    properties: {
      manager: string('Name of the program or person'),
      operation: { type: 'string', enum: ['Apply', 'Update'], description: 'How the fields came to be owned' },
      apiVersion: string('Version of the kind that the fields are named in'),
      time: time('When the share last changed'),
      fieldsType: string('Format of fieldsV1'),
      fieldsV1: { type: 'object', description: 'The fields, as a tree of their names' },
      subresource: string('Subresource that the fields were written through'),
    },
  },
  [SHARED.objectMeta]: {
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
        items: { allOf: [reference(SHARED.ownerReference)], default: {} },
        'x-kubernetes-list-map-keys': ['uid'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'uid',
        'x-kubernetes-patch-strategy': 'merge',
      },
      managedFields: {
        type: 'array',
        description: 'Who owns which fields, as server-side apply keeps it',
        items: reference(SHARED.managedFields),
      },
    },
  },
  [SHARED.listMeta]: {
    type: 'object',
    description: 'Metadata that all lists have.',
    properties: {
      resourceVersion: string('Version of the snapshot'),
      continue: string('Token for the next page'),
      remainingItemCount: { type: 'integer', format: 'int64' },
    },
  },
};
