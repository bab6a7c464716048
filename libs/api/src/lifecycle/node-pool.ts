import { z } from 'zod';
import { localRef, statusBase } from '../kind/fields.js';
import { LIFECYCLE_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, SCALE_SUBRESOURCE, type ObjectOf } from '../kind/kind.js';
import { nodePool } from './cluster.js';

/** Label that carries the pool's name on a NodePool. */
export const NODE_POOL_LABEL = 'lifecycle.crate.dev/node-pool';

/** A node pool of a Cluster, seen as an object of its own: named `<cluster>.<pool>`, changed in its Cluster or scaled here. */
export const NODE_POOL = defineKind({
  group: LIFECYCLE_GROUP,
  version: V1ALPHA1,
  kind: 'NodePool',
  plural: 'nodepools',
  shortNames: ['np'],
  namespaced: true,
  description:
    'A node pool of a Cluster, named <cluster>.<pool>. It is made and removed in its Cluster and can be scaled here.',
  verbs: ['get', 'list', 'watch'],
  instead:
    'node pools are made, changed and removed in spec.nodePools of their Cluster: kubectl edit cluster <name>; ' +
    'their size can be set with kubectl scale nodepool <cluster>.<pool> --replicas=<number>',
  example: { clusterRef: { name: 'demo' }, name: 'workers', replicas: 3, machineType: 'm5.xlarge', diskGiB: 50 },
  spec: nodePool.extend({ clusterRef: localRef.describe('Cluster that the pool is a part of') }),
  status: statusBase.extend({
    replicas: z.int().describe('Nodes that exist'),
    readyReplicas: z.int().describe('Nodes that are ready'),
  }),
  printerColumns: [
    { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterRef.name' },
    { name: 'Machine Type', type: 'string', jsonPath: '.spec.machineType' },
    { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: ['spec.clusterRef.name', 'spec.machineType'],
  subresources: [SCALE_SUBRESOURCE],
});

/** Made up from its Cluster at each read, and stored nowhere: only its scale can be written. */
export type NodePool = ObjectOf<typeof NODE_POOL>;
