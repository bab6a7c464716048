import { z } from 'zod';

/** What is done about a cloud resource that carries Crate's tags and that no state knows. */
export const SWEEP_DECISIONS = [
  /** Its owner lives and has a place for it: taken into the state by the owner's next run. */
  'adopt',
  /** Its owner is proven gone, or it was made twice: it goes. */
  'remove',
  /** Nobody can prove whose it is, or that it may go: a person decides. */
  'report',
] as const;

/** Why, as a stable code. */
const SWEEP_REASONS = [
  /** adopt: its owner's stack has an address for it that the state does not fill. */
  'NotInState',
  /** remove: its place in its owner's stack is taken by another one, which is listed too. */
  'Duplicate',
  /** remove: a DeletionRecord of this installation says that its owner is gone. */
  'OwnerDeleted',
  /** report: made by this installation for an owner that it does not know, as after a restore of an older backup. */
  'OwnerUnknown',
  /** report: does not say which installation made it, nor is its owner known here. */
  'InstallationUnknown',
  /** report: its owner lives, in another account or region. */
  'OwnerElsewhere',
  /** report: its owner lives, and has no place for it. */
  'NoPlace',
  /** report: a person gave it up in a forced deletion. */
  'LeftBehind',
  /** report: its owner is gone, and Crate does not know how to remove its type. */
  'TypeUnknown',
] as const;

/** How the account is swept of resources that nobody owns. */
export const sweepSpec = z.strictObject({
  mode: z
    .enum(['remove', 'report'])
    .default('remove')
    .describe('remove: what is proven abandoned is removed; report: it is only told'),
  maxRemovalPercent: z
    .int()
    .min(0)
    .max(100)
    .default(10)
    .describe(
      "Most of the account's resources of this installation that may be removed without a person; ten always may. 100: no limit",
    ),
});

const finding = z.object({
  type: z.string().describe('Type in Terraform, such as aws_subnet'),
  id: z.string().describe("The provider's id"),
  region: z.string(),
  name: z.string().optional().describe('Its tag Name'),
  owner: z.object({
    uid: z.string().describe('Infrastructure that it says it belongs to; empty: it does not say'),
    cluster: z.string().optional(),
    project: z.string().optional(),
  }),
  since: z.string().describe('When it was first found, in UTC'),
  decision: z.enum(SWEEP_DECISIONS),
  reason: z.enum(SWEEP_REASONS),
  message: z.string().describe('Why, and what to do about it'),
  askedAfter: z
    .string()
    .optional()
    .describe('Its owner is asked to look after it: id of the last run of the owner before that, or none'),
});

/** What the last sweep found. */
export const sweepStatus = z.object({
  regions: z.array(z.string()).describe('Wherever the account was ever used'),
  findings: z.array(finding),
  omitted: z.int().describe('Further findings, for which there was no room'),
});

/** What a sweep would do, or is about to do, and why. */
export const sweepReport = sweepStatus.extend({
  listed: z.int().describe('Resources that carry tags of Crate, of all installations'),
  unanswered: z
    .array(z.string())
    .optional()
    .describe(
      'Where nobody answered, and why; what was found there before stays among the findings, and stays as it is',
    ),
  others: z.int().describe('Those of other installations, which are none of our business'),
  mode: z.enum(['remove', 'report']),
  held: z.string().optional().describe('Why nothing is removed although it should be'),
});

/** The same as JSON schema, for the API reference. */
export const sweepReportJsonSchema: Readonly<Record<string, unknown>> = jsonSchema();

/** `SWEEP_DECISIONS` says what each leads to. */
export type SweepDecision = (typeof SWEEP_DECISIONS)[number];
/** Each belongs to one decision, and does not change its meaning from release to release. */
export type SweepReason = (typeof SWEEP_REASONS)[number];
/** Of an account that says nothing of it all defaults count. */
export type SweepSpec = z.output<typeof sweepSpec>;
/** The same from sweep to sweep by `type` and `id`. */
export type SweepFinding = z.output<typeof finding>;
/** Findings to be acted upon come first, for only what there is room for is ever acted upon. */
export type SweepStatus = z.output<typeof sweepStatus>;
/** Answer of the subresource `sweep` of a CloudAccount: by what is in the account now. */
export type SweepReport = z.output<typeof sweepReport>;

function jsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(sweepReport);
  return schema;
}
