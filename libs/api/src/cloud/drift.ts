import { z } from 'zod';

/** What is done about a cloud resource that somebody changed behind Crate's back. */
export const DRIFT_POLICIES = [
  /** Surfaces as the condition InSync; the next change of the spec puts it back. */
  'observe',
  /** Is put back at once, as far as policies and the ceiling of the cluster allow. */
  'correct',
  /** Holds every change back until somebody decides. */
  'hold',
] as const;

/** How drift is looked for, and what is done about it. */
export const driftSpec = z.strictObject({
  policy: z
    .enum(DRIFT_POLICIES)
    .default('observe')
    .describe('observe: report; correct: put back; hold: change nothing until somebody decides'),
  everyMinutes: z
    .int()
    .min(1)
    .max(10_080)
    .default(60)
    .describe('How often the cloud is compared with what was asked for'),
});

const attributeDrift = z.object({
  path: z.string().describe('Attribute, such as tags.Name'),
  wanted: z.unknown().optional().describe('Value as it was applied; absent: none'),
  found: z.unknown().optional().describe('Value as it is in the cloud; absent: none'),
  isSensitive: z.literal(true).optional().describe('The values are masked'),
});

const resourceDrift = z.object({
  address: z.string(),
  type: z.string(),
  id: z.string().optional(),
  kind: z.enum(['changed', 'missing']),
  attributes: z.array(attributeDrift),
});

/** What the last comparison with the cloud found. */
export const driftStatus = z.object({
  checkedAt: z.string().describe('When the cloud was last compared, in UTC'),
  resources: z.array(resourceDrift).describe('What differs; empty: nothing'),
  omitted: z.int().describe('Further resources that differ, for which there was no room'),
});

export type DriftPolicy = (typeof DRIFT_POLICIES)[number];
export type DriftSpec = z.output<typeof driftSpec>;
export type DriftStatus = z.output<typeof driftStatus>;
export type ResourceDrift = DriftStatus['resources'][number];
