import { z } from 'zod';
import { CLOUD_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { localRef } from '../kind/fields.js';
import type { KindDefinition, SubresourceDefinition } from '../kind/kind.js';
import type { KubeObject } from '../object/object.js';
import { jsonSchemaOf, versionFields, versionSubresources } from './state-diff.js';

const spec = z.object({
  infrastructureRef: localRef.describe('Infrastructure that the state is of'),
  ...versionFields,
  lineage: z.string().optional().describe('Which state it is; absent in versions from before this was kept'),
  terraformSerial: z.int().optional().describe("Terraform's own number of it"),
  resources: z.int().optional().describe('Cloud resources that it knows of'),
});

/** One version of the Terraform state of an Infrastructure: what is known about it, never what is in it. */
export type StateVersion = KubeObject & { readonly spec: z.output<typeof spec> };

/** Named `<infrastructure>.<serial>`, made from stored states at each read. Cannot be watched: its Infrastructure can. */
export const STATE_VERSION: KindDefinition<StateVersion> = {
  group: CLOUD_GROUP,
  version: V1ALPHA1,
  kind: 'StateVersion',
  plural: 'stateversions',
  singular: 'stateversion',
  shortNames: ['stv'],
  categories: [],
  namespaced: true,
  description:
    'A version of the Terraform state of an Infrastructure, named <infrastructure>.<serial>. What is in it is compared with `diff`; `restore` makes it the newest.',
  body: z.object({ spec }),
  hasStatus: false,
  verbs: ['get', 'list'],
  instead:
    'versions of a state are written by runs; an older one is put in place with crate state restore <infrastructure> <serial> --reason <why>. To hear of new ones watch the Infrastructure: its status.stateSerial is the newest',
  selectableFields: ['spec.infrastructureRef.name', 'spec.newest'],
  subresources: versionSubresources('The next run plans against it.'),
  example: {
    spec: {
      infrastructureRef: { name: 'demo' },
      serial: 7,
      lineage: '3f0c1f7e-6b1d-4f0e-8e0a-1b2c3d4e5f60',
      terraformSerial: 21,
      resources: 34,
      size: 48213,
      newest: true,
      run: '7b0f9a86-3c1e-4f0a-9a53-0f6f8f8f5d11',
    },
  },
  printerColumns: [
    { name: 'Infrastructure', type: 'string', jsonPath: '.spec.infrastructureRef.name' },
    { name: 'Serial', type: 'integer', jsonPath: '.spec.serial' },
    { name: 'Lineage', type: 'string', jsonPath: '.spec.lineage' },
    { name: 'Resources', type: 'integer', jsonPath: '.spec.resources' },
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Run', type: 'string', jsonPath: '.spec.run' },
    { name: 'Changed By', type: 'string', jsonPath: '.spec.changedBy', priority: 1 },
    { name: 'Reason', type: 'string', jsonPath: '.spec.reason', priority: 1 },
    { name: 'Newest', type: 'boolean', jsonPath: '.spec.newest' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
};

/** Body of a PUT to `state`. */
export const statePushRequest = z.strictObject({
  lockId: z.string().min(1).max(200).optional().describe('Id of the lock that the caller holds; absent: nobody does'),
  state: z.base64().describe('The state as Terraform writes it, compressed (gzip), in base64'),
});

/** Body of a POST to `lock`: what Terraform says of itself. */
export const stateLockRequest = z.strictObject({
  id: z.string().min(1).max(200),
  operation: z.string().max(200).default(''),
  info: z.string().max(4_000).default(''),
});

/** Body of a POST to `unlock`. */
export const stateUnlockRequest = z.strictObject({
  id: z.string().min(1).max(200).optional().describe('Id of the lock; absent: whoever holds it'),
});

/** The Terraform state and its lock, for Terraform itself and people in an emergency. */
export const STATE_SUBRESOURCES: readonly SubresourceDefinition[] = [
  {
    name: 'state',
    verbs: ['get', 'update'],
    isSecret: true,
    description:
      'The Terraform state as it is, secrets included: for an emergency, through the HTTP backend of Terraform.',
    takes: { mediaType: 'application/json', schema: jsonSchemaOf(statePushRequest) },
  },
  {
    name: 'lock',
    verbs: ['get', 'create'],
    description: 'Who works on the state. A POST locks it for the caller; while a person holds it nothing is applied.',
    takes: {
      mediaType: 'application/json',
      schema: jsonSchemaOf(stateLockRequest),
      example: { id: 'b3a1', operation: 'OperationTypePlan' },
    },
  },
  {
    name: 'unlock',
    verbs: ['create'],
    description: 'Gives the lock of a person back; never that of a run.',
    takes: { mediaType: 'application/json', schema: jsonSchemaOf(stateUnlockRequest), example: { id: 'b3a1' } },
  },
];
