import { z } from 'zod';
import { statusBase } from '../kind/fields.js';
import { LIFECYCLE_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf } from '../kind/kind.js';

/** Services of the platform, in the order in which they are upgraded: who drives the others comes last. */
export const COMPONENTS = ['policy-mgmt', 'cloud-mgmt', 'cluster-mgmt', 'lifecycle'] as const;

/** Which releases are offered: what everybody may take, or what is tried out as well. */
export const COMPONENT_CHANNELS = ['stable', 'candidate'] as const;

/** Days of a maintenance window, as `Date.getUTCDay` counts them. */
export const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/**
 * How far an upgrade is:
 * - Canary: one replica of the new version runs beside the others, and is looked at.
 * - Rolling: the others are replaced one after the other.
 * - Soaking: all are replaced, and looked at.
 * - RollingBack: the version before is put back.
 */
export const ROLLOUT_STEPS = ['Canary', 'Rolling', 'Soaking', 'RollingBack'] as const;

const text = z.string();
const version = text
  .max(100)
  .regex(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$/, 'must be a semantic version such as 1.4.2');
const seconds = z.int().min(0).max(86_400);

const maintenanceWindow = z.strictObject({
  days: z.array(z.enum(WEEKDAYS)).min(1).optional().describe('Days on which it begins, in UTC; absent: each day'),
  start: text
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 02:30')
    .describe('When it begins, in UTC'),
  durationMinutes: z.int().min(5).max(1_440).describe('How long it is open; what has begun is ended also after it'),
});

const strategy = z.strictObject({
  canarySoakSeconds: seconds.default(60).describe('How long the first replica of the new version is looked at'),
  soakSeconds: seconds.default(60).describe('How long all of them are looked at before the upgrade counts as done'),
  progressDeadlineSeconds: seconds
    .min(10)
    .default(600)
    .describe(
      'A step that takes longer, its soak apart, has failed: the version before is put back. Rolling has so long from one process to the next',
    ),
});

const rollout = z.object({
  from: text,
  to: text,
  step: z.enum(ROLLOUT_STEPS),
  startedAt: text.describe('When the upgrade began'),
  since: text.describe(
    'When the step began, or Rolling was done with one process more; moved on by the time that it stood still',
  ),
  remaining: z.int().optional().describe('Processes that Rolling still has to replace, the fewest so far'),
  healthySince: text.optional().describe('Since when all that the step waits for is well'),
  heldSince: text.optional().describe('Since when it stands still: paused, or its installer cannot be asked'),
  generation: z.int().describe('Of the spec that asked for it'),
  reason: text.optional().describe('Why the version before is put back, in one word'),
  message: text.optional(),
});

const ended = z.object({
  from: text,
  to: text,
  startedAt: text,
  endedAt: text,
  outcome: z.enum(['Succeeded', 'RolledBack']),
  generation: z.int().describe('Of the spec that asked for it: it is not tried again before that changes'),
  reason: text.optional(),
  message: text.optional(),
});

/** A service of the platform itself, the version that it has and the one that it shall have. */
export const COMPONENT = defineKind({
  group: LIFECYCLE_GROUP,
  version: V1ALPHA1,
  kind: 'Component',
  plural: 'components',
  shortNames: ['comp'],
  categories: ['crate'],
  namespaced: false,
  description: 'A service of the platform itself: the version that it has, and the one that it shall have.',
  example: {
    version: '1.4.2',
    channel: 'stable',
    maintenanceWindow: { days: ['Sat', 'Sun'], start: '02:00', durationMinutes: 120 },
  },
  spec: z.strictObject({
    version: version.optional().describe('Version that it shall have; absent: the one that is installed'),
    channel: z.enum(COMPONENT_CHANNELS).default('stable').describe('Which releases are offered'),
    maintenanceWindow: maintenanceWindow.optional().describe('When upgrades may begin; absent: always'),
    strategy: strategy.prefault({}).describe('How carefully it is upgraded'),
    paused: z.boolean().default(false).describe('Begins nothing, and stops an upgrade where it is'),
  }),
  status: statusBase.extend({
    installedVersion: text.optional().describe('The version that it goes back to when an upgrade fails'),
    availableVersions: z
      .array(
        z.object({
          version: text,
          channel: text,
          releasedAt: text,
          isSecurity: z.boolean(),
          present: z.boolean().describe('Lies where it is installed from'),
        }),
      )
      .optional()
      .describe('What it may be set to, the newest first: signed, of the channel, and reached in one step'),
    replicas: z
      .array(z.object({ version: text, ready: z.int(), total: z.int() }))
      .optional()
      .describe('What runs, by version'),
    rollout: rollout.optional().describe('The upgrade under way'),
    nextWindowAt: text.optional().describe('When an upgrade that waits for its window will begin'),
    history: z.array(ended).optional().describe('The last ten upgrades, the newest first'),
  }),
  printerColumns: [
    { name: 'Installed', type: 'string', jsonPath: '.status.installedVersion' },
    { name: 'Wanted', type: 'string', jsonPath: '.spec.version' },
    { name: 'Newest', type: 'string', jsonPath: '.status.availableVersions[0].version' },
    { name: 'Step', type: 'string', jsonPath: '.status.rollout.step' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Up-to-date', type: 'string', jsonPath: '.status.conditions[?(@.type=="UpToDate")].status' },
    { name: 'Why', type: 'string', jsonPath: '.status.conditions[?(@.type=="UpToDate")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

/** One for each of `COMPONENTS`, named after it. */
export type Component = ObjectOf<typeof COMPONENT>;
/** In the order of `COMPONENTS`, in which they are upgraded. */
export type ComponentName = (typeof COMPONENTS)[number];
/** As stored: defaults are filled in, of `strategy` also within. */
export type ComponentSpec = Component['spec'];
/** What the last pass saw of installer and replicas; times are RFC 3339, in UTC. */
export type ComponentStatus = NonNullable<Component['status']>;
/** The upgrade under way; absent between upgrades. */
export type ComponentRollout = NonNullable<ComponentStatus['rollout']>;
/** May last beyond midnight: `days` are those on which it begins, in UTC. */
export type MaintenanceWindow = z.output<typeof maintenanceWindow>;
