import { z } from 'zod';
import { statusBase } from '../kind/fields.js';
import { CLOUD_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf } from '../kind/kind.js';
import { abandonedResource, deletionForced, deletionProof } from './deletion.js';

const identity = z.strictObject({ name: z.string(), uid: z.string() });

const watched = abandonedResource.extend({
  state: z.enum(['Present', 'Gone']).describe('Gone: a later listing did not hold it any more'),
  goneAt: z.string().optional().describe('When it was found gone, in UTC'),
});

/** What is left of an Infrastructure that is gone: proof that nothing was left behind, or what was, by whom and why. */
export const DELETION_RECORD = defineKind({
  group: CLOUD_GROUP,
  version: V1ALPHA1,
  kind: 'DeletionRecord',
  plural: 'deletionrecords',
  shortNames: ['dr'],
  categories: ['crate'],
  namespaced: true,
  description:
    'What is left of an Infrastructure that is gone: proof that nothing was left behind, or what was and why.',
  example: {
    infrastructure: { name: 'demo', uid: '0f1d7c1e-5b43-4b8e-9c55-6a3a2f1d9c01' },
    cluster: { name: 'demo', uid: '7b0f9a86-3c1e-4f0a-9a53-0f6f8f8f5d11' },
    account: { name: 'main', id: '123456789012' },
    provider: 'aws',
    region: 'us-east-1',
    requestedAt: '2026-01-31T12:00:00Z',
    deletedAt: '2026-01-31T12:07:30Z',
    proof: {
      tag: 'crate.dev/infrastructure-uid=0f1d7c1e-5b43-4b8e-9c55-6a3a2f1d9c01',
      inventoryEmptyAt: '2026-01-31T12:07:30Z',
      abandoned: [],
    },
  },
  spec: z.strictObject({
    infrastructure: identity,
    cluster: identity,
    account: z.strictObject({
      name: z.string().describe('CloudAccount in the same Project'),
      id: z.string().optional().describe("The provider's account id; absent: the CloudAccount was gone already"),
    }),
    provider: z.string().optional().describe('As in the CloudAccount; absent: it was gone already'),
    region: z.string(),
    requestedAt: z.string().describe('When the deletion was asked for, in UTC'),
    deletedAt: z.string().describe('When this was found and written, in UTC'),
    proof: deletionProof,
    forced: deletionForced.optional().describe('Who gave up what was in the way; absent: nobody had to'),
  }),
  status: statusBase.extend({
    watched: z
      .array(watched)
      .optional()
      .describe('What was abandoned or seen since, and what became of it; absent: nobody could look'),
    present: z.int().optional().describe('How many of them are still there; absent: nobody could look'),
    unseenSince: z
      .string()
      .optional()
      .describe('Since when nobody can look whether they are, in UTC; absent: the last look was answered'),
  }),
  printerColumns: [
    { name: 'Cluster', type: 'string', jsonPath: '.spec.cluster.name' },
    { name: 'Account', type: 'string', jsonPath: '.spec.account.name' },
    { name: 'Region', type: 'string', jsonPath: '.spec.region' },
    { name: 'Deleted', type: 'date', jsonPath: '.spec.deletedAt' },
    { name: 'Empty At', type: 'string', jsonPath: '.spec.proof.inventoryEmptyAt' },
    { name: 'Forced By', type: 'string', jsonPath: '.spec.forced.by' },
    { name: 'Left', type: 'integer', jsonPath: '.status.present' },
  ],
});

/** Outlives the Infrastructure whose end it tells of. */
export type DeletionRecord = ObjectOf<typeof DELETION_RECORD>;
/** What was found when the Infrastructure went, in the words of that time. */
export type DeletionRecordSpec = DeletionRecord['spec'];
/** What later listings say of what was abandoned. */
export type DeletionRecordStatus = NonNullable<DeletionRecord['status']>;
/** An abandoned object, as later listings find it. */
export type WatchedResource = NonNullable<DeletionRecordStatus['watched']>[number];
