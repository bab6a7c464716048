import { z } from 'zod';
import { jsonSchemaOf } from '../cloud/state-diff.js';
import { statusBase } from '../kind/fields.js';
import { POLICY_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf, type SubresourceDefinition } from '../kind/kind.js';

const SHORTEST_REASON = 10;

const rule = z
  .string()
  .max(253)
  .regex(/^[a-z0-9*]([-a-z0-9.*]*[a-z0-9*])?$/, 'must be the name of a Policy, or a family of them such as aws-iam-*')
  .refine((text) => /[a-z0-9]/.test(text), 'must name rules or a family of them: nobody knows what all rules will be');

const cluster = z
  .string()
  .max(63)
  .regex(/^[a-z0-9*]([-a-z0-9*]*[a-z0-9*])?$/, 'must be the name of a Cluster, or a family of them such as test-*');

const spec = z.strictObject({
  policies: z.array(rule).min(1).max(50).describe('Rules that are waived, by name; `aws-iam-*` allows a family'),
  clusters: z
    .array(cluster)
    .min(1)
    .max(100)
    .optional()
    .describe('Clusters of the Project that it is for, `test-*` allows a family; absent: all'),
  fields: z
    .array(z.string().min(1).max(500))
    .min(1)
    .max(50)
    .optional()
    .describe('Fields that it is for, as violations name them, such as `spec.nodePools[*].replicas`; absent: all'),
  reason: z
    .string()
    .max(2000)
    .refine((text) => text.trim().length >= SHORTEST_REASON, `must say why in at least ${SHORTEST_REASON} characters`)
    .describe('Why the rules need not hold there, for the person who approves and for auditors'),
  expiresAt: z.iso
    .datetime({ error: 'must be a time in UTC (RFC 3339), such as 2027-03-31T00:00:00Z' })
    .describe('From then on the rules hold again; RFC 3339, UTC'),
  ticket: z.string().min(1).max(500).optional().describe('Where it was decided, such as RISK-1234 or a link'),
});

const mark = { by: z.string(), at: z.string() };

const status = statusBase.extend({
  requestedBy: z.string().optional().describe('Who asked'),
  requestedAt: z.string().optional(),
  approvals: z
    .array(
      z.object({
        ...mark,
        as: z.enum(['ProjectAdmin', 'PlatformAdmin']).describe('What the person may have waived'),
      }),
    )
    .optional()
    .describe('Who approved'),
  approvedBy: z.string().optional().describe('The names of those, once they are enough'),
  approvedAt: z.string().optional().describe('Since when they are enough'),
  revoked: z.object(mark).optional().describe('Who took it back, or refused it'),
  covers: z
    .object({
      count: z.int(),
      policies: z.array(z.string()).describe('The first of them, by name'),
    })
    .optional()
    .describe('Rules that it covers, or would cover, as they are now'),
  notice: z.string().optional().describe('The last notice given of its end, such as 7d'),
});

/** Body of a POST to `approve` and `revoke`. */
export const waiverDecisionRequest = z.strictObject({
  uid: z.string().min(1).max(100).optional().describe('Of the waiver that was read; another of its name is left alone'),
});

const DECISION = { mediaType: 'application/json', schema: jsonSchemaOf(waiverDecisionRequest), example: {} };

const APPROVE_SUBRESOURCE: SubresourceDefinition = {
  name: 'approve',
  verbs: ['create'],
  description:
    'Approves the waiver, which is in force at once. Another person than the one who asked has to, and no machine can; whether an administrator of the Project or of the platform is told by `waivableBy` of the rules.',
  takes: DECISION,
};

const REVOKE_SUBRESOURCE: SubresourceDefinition = {
  name: 'revoke',
  verbs: ['create'],
  description: 'Takes the waiver back, or refuses it, at once and for good; it stays to be read until it is deleted.',
  takes: DECISION,
};

/** Lets rules be broken somewhere for a time, because two people answer for it. */
export const POLICY_WAIVER = defineKind({
  group: POLICY_GROUP,
  version: V1ALPHA1,
  kind: 'PolicyWaiver',
  plural: 'policywaivers',
  shortNames: ['polw'],
  categories: ['crate'],
  namespaced: true,
  description:
    'Lets rules be broken in a part of a Project for a time, once another person than the one who asked has approved it.',
  example: {
    policies: ['cluster-control-plane-ha'],
    clusters: ['load-test-*'],
    fields: ['spec.controlPlane.replicas'],
    reason: 'Load tests are thrown away every night, nobody waits for them',
    expiresAt: '2027-03-31T00:00:00Z',
    ticket: 'RISK-1234',
  },
  spec,
  status,
  printerColumns: [
    { name: 'Policies', type: 'string', jsonPath: '.spec.policies[*]' },
    { name: 'Clusters', type: 'string', jsonPath: '.spec.clusters[*]', priority: 1 },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'State', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Expires', type: 'string', jsonPath: '.spec.expiresAt' },
    { name: 'Requested-by', type: 'string', jsonPath: '.status.requestedBy' },
    { name: 'Approved-by', type: 'string', jsonPath: '.status.approvedBy' },
    { name: 'Ticket', type: 'string', jsonPath: '.spec.ticket', priority: 1 },
    { name: 'Reason', type: 'string', jsonPath: '.spec.reason', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: ['spec.ticket', 'spec.expiresAt', 'status.requestedBy', 'status.approvedBy'],
  subresources: [APPROVE_SUBRESOURCE, REVOKE_SUBRESOURCE],
});

/** In force from when it was approved until it is revoked, or `expiresAt`; its condition Ready follows. */
export type PolicyWaiver = ObjectOf<typeof POLICY_WAIVER>;
/** Does not change once it is made, but for an earlier `expiresAt`. */
export type PolicyWaiverSpec = PolicyWaiver['spec'];
/** `approvedAt` is absent until approvals are enough. Times are RFC 3339, in UTC. */
export type PolicyWaiverStatus = NonNullable<PolicyWaiver['status']>;
