import { z } from 'zod';
import { planCounts, planViolation, resourceChange } from '../cloud/plan.js';
import { jsonSchemaOf } from '../cloud/state-diff.js';
import { localRef, statusBase } from '../kind/fields.js';
import { LIFECYCLE_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf, type SubresourceDefinition } from '../kind/kind.js';
import { parseLifetime } from './api-key.js';
import { failureSchema } from './failure.js';
import { impact } from './impact.js';

const LONGEST_TTL_MS = 30 * 86_400_000;

const spec = z
  .strictObject({
    clusterRef: localRef.describe('Cluster that the plan is for, whether there is one of this name or not'),
    changes: z.looseObject({}).optional().describe('What changes in the spec of the cluster, as a JSON merge patch'),
    wanted: z.looseObject({}).optional().describe('The whole spec of the cluster, as it is to be'),
    destroy: z.literal(true).optional().describe('Plans the deletion of the cluster'),
    ttl: z
      .string()
      .refine((text) => (parseLifetime(text) ?? Infinity) <= LONGEST_TTL_MS, 'must be minutes, hours or days up to 30d')
      .default('1h')
      .describe('How long the plan can be approved, such as 1h'),
  })
  .superRefine(({ changes, wanted, destroy }, context) => {
    const stated = [changes, wanted, destroy].filter((each) => each !== undefined).length;
    if (stated === 1) return;
    const message = 'exactly one of changes, wanted and destroy must be stated';
    context.addIssue({ code: 'custom', path: ['changes'], message });
  });

/** What a plan stands on: where any of it has moved, the plan is not executed. */
const basis = z.object({
  clusterUid: z.string().optional().describe('Absent: there is no cluster yet'),
  generation: z.int().optional().describe('Generation of the cluster'),
  resourceVersion: z.string().optional().describe('Version of the cluster, for information'),
  account: z.string().optional().describe('Account at the provider, as provider/id; absent: an older version made it'),
  stateSerial: z.int().optional().describe('Serial of the Terraform state; absent: there is none'),
  policyRevision: z.string().describe('Digest of the policies there are'),
  catalogueRevision: z.string().describe('Digest of the add-ons there are'),
  digest: z.string().describe('Digest of what Terraform would do'),
  release: z.string().optional().describe('Version of cloud-mgmt that planned it, for information'),
});

const fieldImpact = z.object({
  field: z.string(),
  impact,
  before: z.unknown().optional().describe('Absent: there is none'),
  after: z.unknown().optional().describe('Absent: there is none'),
});

const nodeChange = z.object({
  name: z.string(),
  change: z.enum(['join', 'leave', 'restart', 'roll', 'replace']),
});

const addOnChange = z.object({
  name: z.string(),
  change: z.enum(['install', 'upgrade', 'configure', 'remove']),
  from: z.string().optional().describe('Version that is installed'),
  to: z.string().optional().describe('Version that is going to be'),
});

const verdict = z.object({ allowed: z.boolean(), violations: z.array(planViolation) });

const quotaChange = z.object({
  name: z.string(),
  before: z.int(),
  after: z.int(),
  limit: z.int().optional().describe('Absent: none'),
});

const cost = z.object({
  currency: z.string(),
  before: z.number().describe('A month, by list prices'),
  after: z.number(),
  difference: z.number(),
  unknown: z.array(z.string()).describe('What has no known price and is in none of the amounts'),
  text: z.string().describe('The difference as a person reads it'),
  pricesOf: z.string().describe('Date of the list prices'),
  source: z.string(),
});

/** What a change leads to. */
export const consequences = z.object({
  impact: impact.describe('The highest of all fields and resources'),
  fields: z.array(fieldImpact),
  terraform: z
    .object({
      counts: planCounts,
      impact: z
        .object({ impact, address: z.string() })
        .optional()
        .describe('The highest, and what has it; absent: cannot be told'),
      resources: z.array(resourceChange),
      omittedChanges: z.int().describe('Resources whose attributes are left out, because the plan is too large'),
    })
    .optional()
    .describe('What Terraform would do; absent: it was not asked'),
  nodes: z.array(nodeChange),
  addOns: z.array(addOnChange),
  policy: z.object({
    admission: verdict.optional().describe('Of the cluster as it is asked for'),
    plan: verdict.optional().describe('Of what Terraform would do'),
  }),
  quota: z.array(quotaChange),
  cost,
});

/** As far as it can be known beforehand. Amounts of money are for a month, by list prices. */
export type Consequences = z.output<typeof consequences>;

/** What became of a plan; the reason of its condition Ready. */
export const PLAN_PHASES = [
  /** Surfaces while the consequences are worked out. */
  'Pending',
  /** Surfaces when it can be approved. */
  'Ready',
  /** Surfaces when somebody approved it. */
  'Approved',
  /** Surfaces while it is carried out. */
  'Executing',
  /** Surfaces when all of it was done. */
  'Executed',
  /** Surfaces when it may not be carried out, or the world has moved; the cluster is as it was. */
  'Refused',
  /** Surfaces when it cannot be carried out to its end. */
  'Failed',
  /** Surfaces when nobody approved it in time, or it was not worked out by then. */
  'Expired',
] as const;

/** A plan ends as Executed, Refused, Failed or Expired, and stays that. */
export type PlanPhase = (typeof PLAN_PHASES)[number];

/** Who approved a plan, and when; kept by the server. Its condition says so once lifecycle has looked at it. */
export const APPROVED_BY_ANNOTATION = 'lifecycle.crate.dev/approved-by';

/** Body of a POST to `approve`. */
export const planApprovalRequest = z.strictObject({
  uid: z.string().min(1).max(100).optional().describe('Of the plan that was read; another of its name is left alone'),
});

/** Has the plan carried out. */
const APPROVE_SUBRESOURCE: SubresourceDefinition = {
  name: 'approve',
  verbs: ['create'],
  description: 'Has the plan carried out exactly as it is; refused when the world has moved since.',
  takes: { mediaType: 'application/json', schema: jsonSchemaOf(planApprovalRequest), example: {} },
};

/** The consequences of a change before it is made. */
export const PLAN = defineKind({
  group: LIFECYCLE_GROUP,
  version: V1ALPHA1,
  kind: 'Plan',
  plural: 'plans',
  categories: ['crate'],
  namespaced: true,
  description: 'What a change of a Cluster leads to, worked out before anything is done. It can be approved.',
  example: { clusterRef: { name: 'demo' }, changes: { nodePools: [{ name: 'workers', replicas: 5 }] }, ttl: '1h' },
  spec,
  status: statusBase.extend({
    basis: basis.optional(),
    wanted: z.looseObject({}).optional().describe('The spec that the cluster would have, with all that is filled in'),
    consequences: consequences.optional(),
    summary: z.string().optional().describe('The consequences in one line'),
    plannedBy: z.string().optional(),
    expiresAt: z.string().optional().describe('Until when it can be approved'),
    approval: z.object({ by: z.string(), at: z.string() }).optional(),
    execution: z
      .object({
        startedAt: z.string(),
        generation: z.int().optional().describe('Of the cluster, once it has the spec; absent: it is deleted'),
        previous: z.looseObject({}).optional().describe('The spec of the cluster before; absent: there was none'),
        previousOwners: z
          .array(z.looseObject({}))
          .optional()
          .describe('The managedFields of the cluster before; absent: none were noted when it began'),
        wasHeld: z.boolean().optional().describe('Whether the cluster was held to another approved plan of its spec'),
        wasGiven: z.boolean().optional().describe('Whether the cluster was given the spec; absent: nobody has seen so'),
      })
      .optional(),
    end: z
      .object({ phase: z.enum(PLAN_PHASES), reason: z.string(), message: z.string(), at: z.string() })
      .optional()
      .describe('How it ended'),
    failure: failureSchema
      .optional()
      .describe('Why it cannot be carried out; while it is Pending, why it is not worked out yet'),
  }),
  printerColumns: [
    { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterRef.name' },
    { name: 'Phase', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Create', type: 'integer', jsonPath: '.status.consequences.terraform.counts.create' },
    { name: 'Change', type: 'integer', jsonPath: '.status.consequences.terraform.counts.update' },
    { name: 'Replace', type: 'integer', jsonPath: '.status.consequences.terraform.counts.replace' },
    { name: 'Destroy', type: 'integer', jsonPath: '.status.consequences.terraform.counts.destroy' },
    { name: 'Impact', type: 'string', jsonPath: '.status.consequences.impact' },
    { name: 'Cost', type: 'string', jsonPath: '.status.consequences.cost.text' },
    { name: 'Message', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: ['spec.clusterRef.name'],
  subresources: [APPROVE_SUBRESOURCE],
});

/** Its spec never changes; whether it can be approved is up to its condition Ready. */
export type Plan = ObjectOf<typeof PLAN>;

/** True of a plan that somebody approved and that was not begun yet, also before its condition says so. Pure. */
export function isApproved({ metadata, status }: Pick<Plan, 'metadata' | 'status'>): boolean {
  const isOpen = status?.execution === undefined && status?.end === undefined;
  return isOpen && metadata.annotations?.[APPROVED_BY_ANNOTATION] !== undefined;
}

/** Times are RFC 3339, in UTC; `end` is absent until the plan is over. */
export type PlanStatus = NonNullable<Plan['status']>;
/** Looked at again before anything is done: where it has moved the plan ends as Refused. */
export type PlanBasis = NonNullable<PlanStatus['basis']>;
