import { z } from 'zod';
import { deletionStatus } from '../cloud/deletion.js';
import { dnsLabel, localRef, statusBase } from '../kind/fields.js';
import { CLUSTER_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf } from '../kind/kind.js';
import { addOnDrift, addOnRemoval, manifest } from '../lifecycle/add-on.js';
import { failureSchema } from '../lifecycle/failure.js';

const inventoryEntry = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
});

/** An object this installation put into the cluster and must take away again. */
export type InventoryEntry = z.output<typeof inventoryEntry>;

/** One add-on in one cluster. */
export const ADD_ON_INSTALLATION = defineKind({
  group: CLUSTER_GROUP,
  version: V1ALPHA1,
  kind: 'AddOnInstallation',
  plural: 'addoninstallations',
  shortNames: ['aoi'],
  categories: ['crate'],
  namespaced: true,
  description: 'One add-on in one cluster.',
  example: {
    clusterRef: { name: 'demo' },
    addOn: 'tools',
    version: '1.0.0',
    manifests: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tools' } }],
  },
  spec: z.strictObject({
    clusterRef: localRef.describe('KubernetesCluster it is installed into'),
    addOn: dnsLabel,
    version: z.string(),
    manifests: z.array(manifest),
    drift: addOnDrift.optional().describe('What is done about changes made in the cluster; absent: correct'),
    removal: addOnRemoval.optional().describe('As the AddOn says; absent: BeforeCluster'),
    unasked: z
      .literal(true)
      .optional()
      .describe('The cluster has it by default: what is there already, and not put there by Crate, is not taken over'),
  }),
  status: statusBase.extend({
    version: z.string().optional(),
    failure: failureSchema.optional(),
    inventory: z.array(inventoryEntry).optional(),
    deletion: deletionStatus.optional().describe('How the deletion stands'),
  }),
  printerColumns: [
    { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterRef.name' },
    { name: 'Add-on', type: 'string', jsonPath: '.spec.addOn' },
    { name: 'Version', type: 'string', jsonPath: '.status.version' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    {
      name: 'In-sync',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="InSync")].status',
      priority: 1,
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

/** Made by lifecycle for one add-on of a Cluster; `manifests` have their values filled in already. */
export type AddOnInstallation = ObjectOf<typeof ADD_ON_INSTALLATION>;
/** `inventory` has all that may be in the cluster, also of versions before, until it is proved gone. */
export type AddOnInstallationStatus = NonNullable<AddOnInstallation['status']>;
