import type { JsonObject } from '@crate/api';
import { reference, SHARED } from './schema-names.js';

const text = (description: string): JsonObject => ({ type: 'string', description });
const whole = (description: string): JsonObject => ({ type: 'integer', format: 'int64', description });

const CAUSE: JsonObject = {
  type: 'object',
  description: 'One thing that is wrong.',
  properties: {
    reason: text('Kind of mistake, such as FieldValueInvalid'),
    message: text('What is wrong and what was expected'),
    field: text('Field of the document, such as spec.nodePools[0].replicas'),
  },
};

const STATUS: JsonObject = {
  type: 'object',
  description: 'The outcome of a call that gives no object: every failure, and deletions that are done.',
  required: ['kind', 'apiVersion', 'status'],
  properties: {
    apiVersion: { type: 'string', enum: ['v1'] },
    kind: { type: 'string', enum: ['Status'] },
    metadata: reference(SHARED.listMeta),
    status: { type: 'string', enum: ['Success', 'Failure'] },
    message: text('What happened, for people'),
    reason: text('What happened, for programs, such as NotFound or Invalid'),
    code: { type: 'integer', format: 'int32', description: 'The HTTP status code' },
    details: {
      type: 'object',
      description: 'What it is about.',
      properties: {
        name: text('Name of the object'),
        group: text('API group of the object'),
        kind: text('Resource type of the object'),
        uid: text('UID of the object'),
        causes: { type: 'array', description: 'Everything that is wrong', items: CAUSE },
        retryAfterSeconds: whole('When to try again'),
      },
    },
  },
};

const DELETE_OPTIONS: JsonObject = {
  type: 'object',
  description: 'How objects are deleted.',
  properties: {
    apiVersion: text('Version of these options; may be left out'),
    kind: text('DeleteOptions; may be left out'),
    dryRun: { type: 'array', description: '["All"]: nothing is deleted', items: { type: 'string', enum: ['All'] } },
    gracePeriodSeconds: whole('Taken for the sake of clients; deletion follows the finalizers'),
    orphanDependents: { type: 'boolean', description: 'Older way to say propagationPolicy: Orphan' },
    propagationPolicy: {
      type: 'string',
      enum: ['Background', 'Foreground', 'Orphan'],
      description: 'What becomes of objects that this one owns',
    },
    preconditions: {
      type: 'object',
      description: 'The object is deleted only if it is still this one.',
      properties: { uid: text('Its UID'), resourceVersion: text('Its version') },
    },
  },
};

const TABLE: JsonObject = {
  type: 'object',
  description: 'Objects as rows for people, as `kubectl get` prints them.',
  required: ['kind', 'apiVersion', 'rows'],
  properties: {
    apiVersion: { type: 'string', enum: ['meta.k8s.io/v1'] },
    kind: { type: 'string', enum: ['Table'] },
    metadata: reference(SHARED.listMeta),
    columnDefinitions: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: text('Heading'),
          type: text('Type of the cells'),
          format: text('Format of the cells'),
          description: text('What the column shows'),
          priority: { type: 'integer', format: 'int32', description: 'Above 0: shown with `-o wide` only' },
        },
      },
    },
    rows: {
      type: 'array',
      items: {
        type: 'object',
        required: ['cells'],
        properties: { cells: { type: 'array', items: {} }, object: { type: 'object' } },
      },
    },
  },
};

const SCALE: JsonObject = {
  type: 'object',
  description: 'A number of replicas.',
  properties: {
    apiVersion: text('autoscaling/v1'),
    kind: text('Scale'),
    metadata: reference(SHARED.objectMeta),
    spec: { type: 'object', properties: { replicas: whole('How many are wanted') } },
    status: {
      type: 'object',
      properties: { replicas: whole('How many there are'), selector: text('Labels that select them') },
    },
  },
  'x-kubernetes-group-version-kind': [{ group: 'autoscaling', version: 'v1', kind: 'Scale' }],
};

const PARTIAL: JsonObject = {
  type: 'object',
  description: "An object's metadata alone.",
  required: ['metadata'],
  properties: {
    apiVersion: text('meta.k8s.io/v1'),
    kind: text('PartialObjectMetadata'),
    metadata: reference(SHARED.objectMeta),
  },
};

/** What travels besides objects of a kind. Source: the OpenAPI document of Kubernetes. */
export const EXCHANGE_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  [SHARED.status]: STATUS,
  [SHARED.deleteOptions]: DELETE_OPTIONS,
  [SHARED.patch]: { description: 'A patch in the format that the Content-Type names.' },
  [SHARED.table]: TABLE,
  [SHARED.watchEvent]: {
    type: 'object',
    description: 'One line of a watch.',
    required: ['type', 'object'],
    properties: {
      type: { type: 'string', enum: ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] },
      object: { type: 'object', description: 'The object after the change; a Status when the type is ERROR' },
    },
  },
  [SHARED.partialObject]: PARTIAL,
  [SHARED.partialList]: {
    type: 'object',
    description: 'The metadata of several objects.',
    required: ['items'],
    properties: {
      apiVersion: text('meta.k8s.io/v1'),
      kind: text('PartialObjectMetadataList'),
      metadata: reference(SHARED.listMeta),
      items: { type: 'array', items: reference(SHARED.partialObject) },
    },
  },
  [SHARED.scale]: SCALE,
};
