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

/** Asks for a comparison now: any value that is not the last one that was answered, such as the time. */
export const CHECK_DRIFT_ANNOTATION = 'lifecycle.crate.dev/check-drift';

/**
 * Says what is to become of a drift: `correct-<digest>` has everything put back, also what was kept before; `keep-<digest>` leaves the
 * attributes that differ to whoever changed them. The digest is that of the drift that was looked at, so a later one is not meant.
 */
export const RESOLVE_DRIFT_ANNOTATION = 'lifecycle.crate.dev/resolve-drift';

/** Why what only the release would change in the cloud waits until a person asks for it: it has an impact. */
export const RELEASE_HELD = 'ReleaseHeld';

/** Why a run that nobody asked for waits, though nothing differs that is to stay: what it would do is for a person to ask for. */
export const RUN_HELD = 'RunHeld';

/** What waits for these reasons is done by an approved plan of the spec that the cluster has; no decision about drift helps. */
export const PLAN_HELPS: ReadonlySet<string> = new Set([RELEASE_HELD, RUN_HELD]);

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
  omittedAttributes: z.int().optional().describe('Further attributes that differ, for which there was no room'),
});

const keptAttribute = z.object({ address: z.string(), path: z.string() });

/** How the cloud differs from what was applied. */
export const driftStatus = z.object({
  since: z.string().describe('When a comparison first found it so, in UTC; a later one that finds the same leaves it'),
  digest: z.string().describe('Names this drift, in the annotation that says what is to become of it'),
  resources: z.array(resourceDrift).describe('What differs; empty: nothing but what was kept'),
  omitted: z.int().describe('Further resources that differ, for which there was no room'),
  kept: z
    .array(keptAttribute)
    .optional()
    .describe('Attributes that were left as they were found, and are left alone since'),
});

const driftFailure = z.object({ code: z.string(), message: z.string() });

/** What is known of the comparisons with the cloud, apart from what they found. */
export const driftReportSchema = z.object({
  apiVersion: z.string(),
  kind: z.literal('DriftReport'),
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
  policy: z.enum(DRIFT_POLICIES),
  checkedAt: z.string().optional().describe('When the cloud was last compared, in UTC; absent: not yet'),
  nextCheckAt: z.string().describe('When it is compared next, about'),
  answered: z.string().optional().describe('Value of the annotation check-drift that the last comparison answered'),
  resolved: z.string().optional().describe('Value of the annotation resolve-drift that was last done'),
  failures: z.int().describe('Comparisons in a row that failed since the last that did not'),
  failure: driftFailure.optional().describe('Why the last comparison failed'),
  held: driftFailure.optional().describe('Why the drift is not put back by itself'),
  drift: driftStatus.optional().describe('What differs; absent: nothing'),
});

/** The same as JSON schema, for the API reference. */
export const driftReportJsonSchema: Readonly<Record<string, unknown>> = jsonSchema();

function jsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(driftReportSchema);
  return schema;
}

/** `DRIFT_POLICIES` says what each leads to. */
export type DriftPolicy = (typeof DRIFT_POLICIES)[number];
/** As stored: an hour between comparisons where nothing else is said. */
export type DriftSpec = z.output<typeof driftSpec>;
/** Holds the first resources and attributes alone, and says how many it leaves out. */
export type DriftStatus = z.output<typeof driftStatus>;
/** Missing: the cloud does not have it any more; it then has no attributes. */
export type ResourceDrift = DriftStatus['resources'][number];
/** A sensitive one says that it differs, not how. */
export type AttributeDrift = ResourceDrift['attributes'][number];
/** Left to others by a person, until a person has everything put back. */
export type KeptAttribute = z.output<typeof keptAttribute>;
/** Why something about the drift could not be done; `code` is stable, `message` is for people. */
export type DriftFailure = z.output<typeof driftFailure>;
/** Answer of the subresource `drift`; a comparison that failed leaves `drift` as the one before found it. */
export type DriftReport = z.output<typeof driftReportSchema>;

/** What a person may say about a drift. */
export interface DriftDecision {
  readonly action: 'correct' | 'keep';
  readonly digest: string;
}

/** Reads the value of the annotation; undefined for what is none. */
export function parseDriftDecision(value: string | undefined): DriftDecision | undefined {
  const [, action, digest] = /^(correct|keep)-([0-9a-f]{12})$/.exec(value ?? '') ?? [];
  return digest === undefined ? undefined : { action: action as DriftDecision['action'], digest };
}
