import { z } from 'zod';
import { versionFields, versionSubresources } from '../cloud/state-diff.js';
import { CLUSTER_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { localRef } from '../kind/fields.js';
import type { KindDefinition } from '../kind/kind.js';
import type { KubeObject } from '../object/object.js';

const spec = z.object({
  clusterRef: localRef.describe('KubernetesCluster that the state is of'),
  ...versionFields,
  lineage: z
    .string()
    .optional()
    .describe('Which state it is: fingerprint of the authority that signs the certificates of the cluster'),
  kubernetesVersion: z.string().optional().describe('Version that the engine was asked for'),
  nodes: z.int().optional().describe('Machines that it knows of'),
  certificates: z.int().optional().describe('Certificates that it holds'),
});

/** One version of the state of a cluster's engine: what is known about it, never what is in it. */
export type EngineStateVersion = KubeObject & { readonly spec: z.output<typeof spec> };

/** Named `<kubernetescluster>.<serial>`, made from stored states at each read. Cannot be watched: its KubernetesCluster can. */
export const ENGINE_STATE_VERSION: KindDefinition<EngineStateVersion> = {
  group: CLUSTER_GROUP,
  version: V1ALPHA1,
  kind: 'EngineStateVersion',
  plural: 'enginestateversions',
  singular: 'enginestateversion',
  shortNames: ['esv'],
  categories: [],
  namespaced: true,
  description:
    "A version of the state of a cluster's engine (RKE), named <kubernetescluster>.<serial>. What is in it is compared with `diff`; `restore` makes it the newest.",
  body: z.object({ spec }),
  hasStatus: false,
  verbs: ['get', 'list'],
  instead:
    'versions of a state are written by runs; an older one is put in place with crate state restore <cluster> <serial> --engine --reason <why>. To hear of new ones watch the KubernetesCluster: its status.stateSerial is the newest',
  selectableFields: ['spec.clusterRef.name', 'spec.newest'],
  subresources: versionSubresources('The engine then runs with it.'),
  example: {
    spec: {
      clusterRef: { name: 'demo' },
      serial: 4,
      lineage: '5f:0c:1f:7e',
      kubernetesVersion: 'v1.31.4',
      nodes: 5,
      certificates: 9,
      size: 68213,
      newest: true,
      run: '7b0f9a86-3c1e-4f0a-9a53-0f6f8f8f5d11',
    },
  },
  printerColumns: [
    { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterRef.name' },
    { name: 'Serial', type: 'integer', jsonPath: '.spec.serial' },
    { name: 'Version', type: 'string', jsonPath: '.spec.kubernetesVersion' },
    { name: 'Nodes', type: 'integer', jsonPath: '.spec.nodes' },
    { name: 'Certificates', type: 'integer', jsonPath: '.spec.certificates' },
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Run', type: 'string', jsonPath: '.spec.run' },
    { name: 'Lineage', type: 'string', jsonPath: '.spec.lineage', priority: 1 },
    { name: 'Changed By', type: 'string', jsonPath: '.spec.changedBy', priority: 1 },
    { name: 'Reason', type: 'string', jsonPath: '.spec.reason', priority: 1 },
    { name: 'Newest', type: 'boolean', jsonPath: '.spec.newest' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
};
