import { z } from 'zod';
import { objectReference } from '../event/object-reference.js';

/** One attribute that is not afterwards what it is before. */
export const attributeChange = z.object({
  path: z.string().describe('Attribute, such as tags.Name'),
  before: z.unknown().optional().describe('Value as it is; absent: none'),
  after: z.unknown().optional().describe('Value as it is going to be; absent: none, or not known yet'),
  isUnknown: z.literal(true).optional().describe('The value is known once it is applied'),
  isSensitive: z.literal(true).optional().describe('The values are masked'),
  forcesReplacement: z.literal(true).optional().describe('It cannot be changed in place'),
});

/** What a plan does to one cloud resource. */
export const resourceChange = z.object({
  address: z.string().describe('Address within the Terraform configuration'),
  type: z.string(),
  name: z.string(),
  action: z.enum(['create', 'update', 'replace', 'destroy', 'import', 'forget']),
  changes: z.array(attributeChange),
});

export const planViolation = z.object({
  policy: z.string(),
  level: z.string(),
  effect: z.string().optional().describe('What it leads to: deny, warn or inform'),
  field: z.string().optional(),
  message: z.string(),
  remedy: z.string().optional(),
});

/** How many resources a plan does what to. */
export const planCounts = z.object({
  create: z.int(),
  update: z.int(),
  replace: z.int(),
  destroy: z.int(),
  import: z.int(),
  forget: z.int(),
});

/** What became of a plan. */
export const PLAN_OUTCOMES = [
  /** Surfaces while the plan is judged, or the run goes on. */
  'InProgress',
  /** Surfaces when everything was as asked for. */
  'NoChanges',
  /** Surfaces when all of it was done. */
  'Applied',
  /** Surfaces when a policy forbids it: nothing was done. */
  'Refused',
  /** Surfaces when it failed: part of it may have been done. */
  'Failed',
  /** Surfaces when the run was stopped: part of it may have been done, and the next run goes on. */
  'Interrupted',
] as const;

/** Answer of the subresource `plan`. Times are RFC 3339, in UTC; sensitive values are masked. */
export const runPlanSchema = z.object({
  apiVersion: z.string(),
  kind: z.literal('RunPlan'),
  metadata: z.object({ name: z.string(), namespace: z.string().optional(), creationTimestamp: z.string() }),
  of: objectReference.describe('Object whose spec is planned for'),
  generation: z.int().optional().describe('Generation of that object'),
  isCurrent: z.boolean().describe('No later spec was asked for since'),
  run: z.object({
    id: z.string(),
    purpose: z.enum(['apply', 'destroy']),
    startedAt: z.string(),
    endedAt: z.string().optional(),
  }),
  outcome: z.enum(PLAN_OUTCOMES),
  counts: planCounts,
  review: z
    .object({ allowed: z.boolean(), violations: z.array(planViolation) })
    .optional()
    .describe('What policies say; absent: nobody was asked'),
  resources: z.array(resourceChange),
  omittedChanges: z.int().describe('Resources whose attributes are left out, because the plan is too large'),
});

/** The same as JSON schema, for the API reference. */
export const planJsonSchema: Readonly<Record<string, unknown>> = jsonSchema();

/** What the newest run of Terraform for an object changes, or has changed. */
export type RunPlan = z.output<typeof runPlanSchema>;
/** A replacement counts as one, not as a creation and a destruction. */
export type PlanCounts = z.output<typeof planCounts>;
/** Its `changes` are empty where there was no room for them, or a secret could not be masked. */
export type PlannedResource = RunPlan['resources'][number];

function jsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(runPlanSchema);
  return schema;
}
