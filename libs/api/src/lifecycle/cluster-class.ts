import { z } from 'zod';
import { dnsLabel, localRef, statusBase } from '../kind/fields.js';
import { LIFECYCLE_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf, type SubresourceDefinition } from '../kind/kind.js';

const constraint = z.strictObject({
  expression: z
    .string()
    .min(1)
    .describe('CEL condition over `self` (the cluster as it would be stored) and `params`; false refuses the cluster'),
  message: z.string().min(1).max(500).describe('What is wrong and what to do, for the person who asked'),
  field: z.string().max(200).default('spec').describe('Field that the message is about, such as spec.nodePools'),
});

const rollout = z.strictObject({
  strategy: z
    .enum(['Manual', 'Automatic'])
    .default('Manual')
    .describe(
      'Manual: a cluster moves to a new revision when it is told to. Automatic: clusters are moved, a few at a time',
    ),
  maxConcurrent: z.int().min(1).max(100).default(1).describe('Clusters under way at a time'),
  maxFailures: z
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe('Stops while more clusters than this fail on the new revision'),
  paused: z.boolean().default(false).describe('Moves no further cluster until set back'),
});

/** What clusters are made of; a change of any of it makes a new revision. */
const content = {
  parameters: z
    .looseObject({})
    .optional()
    .describe('Structural JSON schema, of type object, that spec.parameters of clusters must fit'),
  template: z
    .looseObject({})
    .describe(
      "Part of a Cluster's spec, for what a cluster leaves out. `${…}` in a text is a CEL expression over `params`",
    ),
  constraints: z.array(constraint).max(100).default([]).describe('What must hold for every cluster of the class'),
  locked: z
    .array(z.string().min(1).max(200))
    .max(200)
    .default([])
    .describe('Fields that a cluster may not state otherwise, such as kubernetes.version or nodePools[workers]'),
  deletionProtection: z
    .boolean()
    .optional()
    .describe('Whether clusters that do not say are protected from unconfirmed deletion'),
};

const counts = z.object({
  total: z.int().describe('Clusters that refer to the class'),
  upToDate: z.int().describe('Resolved with the newest revision'),
  outdated: z.int().describe('Resolved with an older revision, and free to move'),
  pinned: z.int().describe('State an older revision themselves, or were moved back to one'),
  moving: z.int().describe('Moved by the rollout and not ready yet'),
  failing: z.int().describe('Moved by the rollout and failing or taken back, or refused by admission'),
});

/** Who uses a class, and what its newest revision would change there: names clusters of all Projects. */
const CLUSTERS_SUBRESOURCE: SubresourceDefinition = {
  name: 'clusters',
  verbs: ['get'],
  isSecret: true,
  description: 'Every cluster of the class, in all Projects, and what its newest revision would change there.',
};

/** A parameterised template that platform teams publish and clusters refer to. */
export const CLUSTER_CLASS = defineKind({
  group: LIFECYCLE_GROUP,
  version: V1ALPHA1,
  kind: 'ClusterClass',
  plural: 'clusterclasses',
  shortNames: ['cc'],
  categories: ['crate'],
  namespaced: false,
  description: 'A parameterised template for clusters, published by the platform team.',
  example: {
    description: 'A small cluster for trying things out',
    parameters: { type: 'object', properties: { workers: { type: 'integer', minimum: 1, maximum: 5, default: 2 } } },
    template: {
      kubernetes: { version: 'v1.31.8' },
      controlPlane: { replicas: 1 },
      nodePools: [{ name: 'workers', replicas: '${params.workers}', machineType: 'm5.large' }],
    },
  },
  spec: z.strictObject({
    description: z.string().max(1000).optional().describe('What the class is for'),
    ...content,
    rollout: rollout.prefault({}).describe('How clusters get to a new revision'),
    revisionHistoryLimit: z.int().min(0).max(100).default(10).describe('Revisions kept that no cluster uses'),
  }),
  status: statusBase.extend({
    revision: z.int().optional().describe('Newest revision: what new clusters are resolved with'),
    clusters: counts.optional().describe('How far clusters are'),
    pendingChanges: z
      .array(z.object({ field: z.string(), clusters: z.int() }))
      .optional()
      .describe('Fields that the newest revision would change, and in how many clusters; the first of them'),
  }),
  printerColumns: [
    { name: 'Revision', type: 'integer', jsonPath: '.status.revision' },
    { name: 'Rollout', type: 'string', jsonPath: '.spec.rollout.strategy' },
    { name: 'Clusters', type: 'integer', jsonPath: '.status.clusters.total' },
    { name: 'Up-to-date', type: 'integer', jsonPath: '.status.clusters.upToDate' },
    { name: 'Failing', type: 'integer', jsonPath: '.status.clusters.failing', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  subresources: [CLUSTERS_SUBRESOURCE],
});

/** The newest state, which people edit. Clusters are resolved with a `ClusterClassRevision`, never with this. */
export type ClusterClass = ObjectOf<typeof CLUSTER_CLASS>;

/** One state of a class, kept as long as a cluster is resolved with it. Nobody but Crate writes it. */
export const CLUSTER_CLASS_REVISION = defineKind({
  group: LIFECYCLE_GROUP,
  version: V1ALPHA1,
  kind: 'ClusterClassRevision',
  plural: 'clusterclassrevisions',
  shortNames: ['ccr'],
  namespaced: false,
  description: 'What a ClusterClass was at one time. Made by Crate and never changed.',
  verbs: ['get', 'list', 'watch'],
  example: {
    classRef: { name: 'small' },
    revision: 1,
    template: { kubernetes: { version: 'v1.31.8' }, controlPlane: { replicas: 1 } },
  },
  spec: z.strictObject({
    classRef: localRef.describe('ClusterClass that this is a state of'),
    revision: z.int().min(1).describe('Counts up by one with every change of the class'),
    ...content,
  }),
  status: statusBase,
  printerColumns: [
    { name: 'Class', type: 'string', jsonPath: '.spec.classRef.name' },
    { name: 'Revision', type: 'integer', jsonPath: '.spec.revision' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: ['spec.classRef.name'],
});

/** Never changes, so it may be kept by its uid. */
export type ClusterClassRevision = ObjectOf<typeof CLUSTER_CLASS_REVISION>;

/** The part of a class that a revision keeps. */
export type ClassContent = Pick<
  ClusterClassRevision['spec'],
  'parameters' | 'template' | 'constraints' | 'locked' | 'deletionProtection'
>;

/** Reference of a cluster to a class. */
export const classRef = z.strictObject({
  name: dnsLabel.describe('Name of the ClusterClass'),
  revision: z
    .int()
    .min(1)
    .optional()
    .describe('Revision of the class. Filled in when absent, and moved by the rollout of the class; stated: stays'),
});

const change = z.object({
  field: z.string(),
  from: z.unknown().optional(),
  to: z.unknown().optional(),
});

/** One field as it is and as it would be; absent when there is no such field. */
export type FieldChange = z.output<typeof change>;

/** How a cluster stands to its class. */
export const classStatus = z.object({
  revision: z.int().optional().describe('Revision that the spec is resolved with'),
  newestRevision: z.int().optional().describe('Newest revision of the class'),
  pinned: z
    .boolean()
    .describe('The revision is stated in the spec, or was moved back to, so a rollout leaves it alone'),
  changes: z.array(change).describe('What the newest revision would change here; the first of them'),
  changeCount: z.int().describe('How many fields would change'),
  notApplicable: z.array(change).describe('What the newest revision asks for and an existing cluster cannot become'),
  refused: z
    .object({ revision: z.int(), message: z.string() })
    .optional()
    .describe('Why the cluster could not be moved to the newest revision when the rollout last tried'),
});
