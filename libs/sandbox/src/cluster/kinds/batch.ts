import { z } from 'zod';
import { AGE, column, defineCoreKind, type CoreObject } from './define-core-kind.js';
import { anyObject, conditions, labelSelector, templateMetadata } from './fields.js';
import { podTemplate } from './pod-spec.js';

const jobSpec = z.strictObject({
  parallelism: z.int().min(0).default(1),
  completions: z.int().min(0).optional(),
  completionMode: z.enum(['NonIndexed', 'Indexed']).default('NonIndexed'),
  backoffLimit: z.int().min(0).default(6),
  backoffLimitPerIndex: z.int().min(0).optional(),
  maxFailedIndexes: z.int().min(0).optional(),
  activeDeadlineSeconds: z.int().min(1).optional(),
  ttlSecondsAfterFinished: z.int().min(0).optional(),
  selector: labelSelector.optional(),
  manualSelector: z.boolean().optional(),
  suspend: z.boolean().default(false),
  podFailurePolicy: anyObject.optional(),
  successPolicy: anyObject.optional(),
  podReplacementPolicy: z.string().optional(),
  managedBy: z.string().optional(),
  template: podTemplate,
});

const job = z.strictObject({
  spec: jobSpec,
  status: z
    .looseObject({
      active: z.int().optional(),
      succeeded: z.int().optional(),
      failed: z.int().optional(),
      ready: z.int().optional(),
      startTime: z.string().optional(),
      completionTime: z.string().optional(),
      conditions,
    })
    .optional(),
});

export const JOB = defineCoreKind({
  group: 'batch',
  kind: 'Job',
  plural: 'jobs',
  categories: ['all'],
  body: job,
  hasStatus: true,
  columns: [
    column('Status', '.printed.phase'),
    column('Completions', '.printed.completions'),
    column('Duration', '.printed.duration'),
    AGE,
    column('Containers', '.printed.containers', 'string', true),
    column('Images', '.printed.images', 'string', true),
  ],
});
export type Job = CoreObject<typeof job>;

const cronJob = z.strictObject({
  spec: z.strictObject({
    schedule: z.string().regex(/^(@\w+|(\S+\s+){4}\S+)$/, 'must be a cron schedule of five fields'),
    timeZone: z.string().optional(),
    suspend: z.boolean().default(false),
    concurrencyPolicy: z.enum(['Allow', 'Forbid', 'Replace']).default('Allow'),
    startingDeadlineSeconds: z.int().min(0).optional(),
    successfulJobsHistoryLimit: z.int().min(0).default(3),
    failedJobsHistoryLimit: z.int().min(0).default(1),
    jobTemplate: z.strictObject({ metadata: templateMetadata.optional(), spec: jobSpec }),
  }),
  status: z.looseObject({ lastScheduleTime: z.string().optional(), active: z.array(anyObject).optional() }).optional(),
});

/** Schedules are stored and shown; the simulation starts no job from them. */
export const CRON_JOB = defineCoreKind({
  group: 'batch',
  kind: 'CronJob',
  plural: 'cronjobs',
  shortNames: ['cj'],
  categories: ['all'],
  body: cronJob,
  hasStatus: true,
  columns: [
    column('Schedule', '.spec.schedule'),
    column('Timezone', '.spec.timeZone'),
    column('Suspend', '.spec.suspend', 'boolean'),
    column('Active', '.printed.active', 'integer'),
    column('Last Schedule', '.status.lastScheduleTime', 'date'),
    AGE,
  ],
});
