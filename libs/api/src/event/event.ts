import { z } from 'zod';
import type { KindDefinition, ResourceVerb } from '../kind/kind.js';
import type { KubeObject } from '../object/object.js';
import { objectReference } from './object-reference.js';

const READ_ONLY: readonly ResourceVerb[] = ['get', 'list', 'watch'];

const time = z.string().nullish();

const body = z.object({
  involvedObject: objectReference.describe('What it happened to'),
  reason: z.string().optional().describe('Why, in one word from a small set per kind'),
  message: z.string().optional().describe('What happened, for a person'),
  type: z.string().optional().describe('Normal or Warning'),
  source: z
    .object({ component: z.string().optional(), host: z.string().optional() })
    .optional()
    .describe('Service that tells it'),
  count: z.int().optional().describe('How often it happened'),
  firstTimestamp: time.describe('When it happened first'),
  lastTimestamp: time.describe('When it happened last'),
  eventTime: time.describe('When it happened first, in microseconds'),
  action: z.string().optional().describe('What was done about it'),
  related: objectReference.optional().describe('Another object that has to do with it'),
  reportingComponent: z.string().optional().describe('Service that tells it'),
  reportingInstance: z.string().optional().describe('Which of its processes'),
});

/** An Event as everybody stores and most clients read it. */
export type EventObject = KubeObject & z.output<typeof body>;

/**
 * Something that happened to an object, for people: written by reconcilers, read-only for everybody else, gone after a while.
 * Source: https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
export const EVENT: KindDefinition<EventObject> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  singular: 'event',
  shortNames: ['ev'],
  categories: [],
  namespaced: true,
  description: 'Something that happened to an object; kept for a while.',
  body,
  printerColumns: [],
  hasStatus: false,
  selectableFields: [
    'involvedObject.apiVersion',
    'involvedObject.fieldPath',
    'involvedObject.kind',
    'involvedObject.name',
    'involvedObject.namespace',
    'involvedObject.resourceVersion',
    'involvedObject.uid',
    'reason',
    'reportingComponent',
    'type',
  ],
  subresources: [],
  verbs: READ_ONLY,
  example: {
    involvedObject: {
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'Cluster',
      namespace: 'team-a',
      name: 'demo',
      uid: '0f8fad5b-d9cb-469f-a165-70867728950e',
    },
    type: 'Normal',
    reason: 'TerraformPlanned',
    message: 'Plan: 17 to create, 0 to change, 0 to destroy',
    count: 1,
    firstTimestamp: '2026-11-21T10:00:00.000Z',
    lastTimestamp: '2026-11-21T10:00:00.000Z',
    source: { component: 'cloud-mgmt' },
  },
};
