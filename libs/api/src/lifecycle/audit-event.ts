import { z } from 'zod';
import { LIFECYCLE_GROUP, V1ALPHA1 } from '../kind/groups.js';
import type { KindDefinition } from '../kind/kind.js';
import type { KubeObject } from '../object/object.js';

const change = z.object({
  path: z.string().describe('JSON pointer into the object'),
  from: z.unknown().optional().describe('Value before; absent when there was none'),
  to: z.unknown().optional().describe('Value after; absent when there is none'),
});

const object = z.object({
  group: z.string(),
  resource: z.string().describe('Plural'),
  kind: z.string().optional(),
  subresource: z.string().optional(),
  namespace: z.string().optional(),
  name: z.string().optional(),
  uid: z.string().optional(),
  resourceVersion: z.string().optional().describe('Version that the write made'),
});

const body = z.object({
  time: z.string().describe('When, in UTC'),
  service: z.string().describe('Service that recorded it'),
  user: z.string().describe('Who'),
  groups: z.array(z.string()),
  via: z
    .string()
    .optional()
    .describe('Platform service that called on behalf of the user, or did what they had decided'),
  address: z.string().optional().describe('From where'),
  userAgent: z.string().optional(),
  traceId: z.string().describe('As in logs and in the header x-trace-id'),
  verb: z.string(),
  object: object.describe('What the call was about'),
  dryRun: z.boolean().optional(),
  decision: z.enum(['allowed', 'denied']),
  code: z.int().describe('HTTP status code of the answer'),
  reason: z.string().optional().describe('Why it failed, in one word'),
  message: z.string().optional(),
  changes: z.array(change).optional().describe('What changed of the object, without secrets'),
  changesOmitted: z.int().optional().describe('Further changes for which there was no room'),
  alsoChanged: z.array(z.string()).optional().describe('Further objects that the same write changed'),
  repeated: z.int().optional().describe('Stands for so many alike calls'),
  cut: z.object({ from: z.int(), to: z.int(), hash: z.string() }).optional().describe('Old rows that were removed'),
  chain: z
    .object({ seq: z.int(), hash: z.string() })
    .describe('Place in the hash chain of the service, by which a change of the record is found out'),
});

/** A call as the audit log holds it, whichever service recorded it. */
export type AuditEvent = KubeObject & z.output<typeof body>;

/** What can be selected by; `since` and `until` are times, from the first inclusive to the second exclusive. */
export const AUDIT_EVENT_SELECTORS = [
  'user',
  'via',
  'verb',
  'group',
  'resource',
  'subresource',
  'name',
  'decision',
  'code',
  'traceId',
  'since',
  'until',
] as const;

/** What belongs to no Project is shown in this namespace, which no Project can have. */
export const PLATFORM_NAMESPACE = 'crate:platform';

/** Read from the audit logs of all services as if it were one kind; nothing of it can be written. */
export const AUDIT_EVENT: KindDefinition<AuditEvent> = {
  group: LIFECYCLE_GROUP,
  version: V1ALPHA1,
  kind: 'AuditEvent',
  plural: 'auditevents',
  singular: 'auditevent',
  shortNames: ['audit'],
  categories: [],
  namespaced: true,
  description: 'Who did what: every write, every read of a secret and every refusal. Read-only and append-only.',
  body,
  hasStatus: false,
  verbs: ['get', 'list', 'watch'],
  selectableFields: AUDIT_EVENT_SELECTORS,
  subresources: [],
  example: {
    time: '2026-01-01T00:00:00.000Z',
    service: 'lifecycle',
    user: 'vera',
    groups: ['team-a'],
    address: '192.0.2.7',
    userAgent: 'kubectl/v1.33.0',
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    verb: 'patch',
    object: { group: LIFECYCLE_GROUP, resource: 'clusters', namespace: 'team-a', name: 'demo', resourceVersion: '42' },
    decision: 'allowed',
    code: 200,
    changes: [{ path: '/spec/nodePools/0/replicas', from: 2, to: 4 }],
    chain: { seq: 17, hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
  },
  printerColumns: [
    { name: 'Time', type: 'string', jsonPath: '.time' },
    { name: 'User', type: 'string', jsonPath: '.user' },
    { name: 'Verb', type: 'string', jsonPath: '.verb' },
    { name: 'Resource', type: 'string', jsonPath: '.object.resource' },
    { name: 'Subresource', type: 'string', jsonPath: '.object.subresource' },
    { name: 'Object', type: 'string', jsonPath: '.object.name' },
    { name: 'Code', type: 'integer', jsonPath: '.code' },
    { name: 'Reason', type: 'string', jsonPath: '.reason' },
    { name: 'Via', type: 'string', jsonPath: '.via', priority: 1 },
    { name: 'Address', type: 'string', jsonPath: '.address', priority: 1 },
    { name: 'Client', type: 'string', jsonPath: '.userAgent', priority: 1 },
    { name: 'Trace', type: 'string', jsonPath: '.traceId', priority: 1 },
  ],
};

/** What `GET /audit/verify` found in the log of one service, whose rows are chained by their hashes. */
export interface VerifiedLog {
  readonly service: string;
  /** Nothing was found that is not as it was written. */
  readonly isWhole: boolean;
  /** Rows that were looked at. */
  readonly rows: number;
  readonly checkpoints: number;
  /** Of them, those whose signatures prove nothing: nobody knows the public keys any more. Absent: none. */
  readonly unproven?: number;
  /** The last row, and its hexadecimal SHA-256. */
  readonly head: { readonly seq: number; readonly hash: string };
  /** What is wrong, in words, and at which row. */
  readonly problems: readonly { readonly seq: number; readonly message: string }[];
}
