import { z } from 'zod';
import { COMPONENTS, ROLLOUT_STEPS } from './component.js';

/** Where it is served. */
export const UPGRADE_PLAN_PATH = '/platform/upgrade';

/**
 * What the platform would do with a component:
 * - Upgrade, Downgrade: bring it to the version.
 * - GoOn: it is on its way there already.
 * - Stay: it has the version.
 */
export const UPGRADE_ACTIONS = ['Upgrade', 'Downgrade', 'GoOn', 'Stay'] as const;

/**
 * What something in the way leads to:
 * - Refused: the version is not taken as long as it is so.
 * - Waits: the version is taken, and the upgrade begins once it is otherwise.
 */
const UPGRADE_EFFECTS = ['Refused', 'Waits'] as const;

const text = z.string();

const problem = z.object({
  reason: text.describe('In one word, which stays the same from release to release'),
  effect: z.enum(UPGRADE_EFFECTS),
  message: text,
  remedy: text.describe('What to do'),
});

const move = z.object({
  step: z.enum(ROLLOUT_STEPS),
  message: text.describe('What happens in it'),
  atLeastSeconds: z.int().describe('How long it is looked at, at least'),
});

const step = z.object({
  component: z.enum(COMPONENTS),
  from: text.optional().describe('Absent: nobody knows'),
  to: text,
  action: z.enum(UPGRADE_ACTIONS),
  hasFailed: z
    .boolean()
    .describe('It was taken back from this version, and is not tried again before the spec changes'),
  moves: z.array(move),
  problems: z.array(problem),
});

const release = z.object({
  channel: text,
  releasedAt: text,
  isSecurity: z.boolean(),
  summary: text.optional(),
  notes: text.optional(),
  upgradeFrom: text.optional().describe('The oldest version from which it is reached in one step'),
  downgradeTo: text.optional().describe('The oldest version to which there is a way back; absent: there is none'),
});

/** What the platform would do to bring all of its services to a version, in this order. Nothing is changed by asking. */
export const upgradePlanSchema = z.object({
  kind: z.literal('UpgradePlan'),
  at: text,
  to: text,
  oldest: text.optional().describe('The oldest version that a service has: all meet each other on the way'),
  release: release.optional().describe('As the signed index has it'),
  steps: z.array(step).describe('One after the other'),
});

/** Answer of `UPGRADE_PLAN_PATH`: as things are at `at`, and kept nowhere. */
export type UpgradePlan = z.output<typeof upgradePlanSchema>;
/** What would be done to one component; `moves` is empty where nothing would. */
export type UpgradePlanStep = UpgradePlan['steps'][number];
/** Something in the way; `effect` says whether the version is refused for it or only waits. */
export type UpgradeProblem = UpgradePlanStep['problems'][number];
