import { z } from 'zod';
import { serviceReportSchema } from './service-report.js';

/** Where it is served. */
export const PLATFORM_STATUS_PATH = '/platform/status';

/**
 * How the platform is:
 * - Failing: something does not work, and people notice.
 * - Degraded: it works, and somebody should look.
 * - Healthy: nothing is to be done.
 */
export const PLATFORM_HEALTHS = ['Failing', 'Degraded', 'Healthy'] as const;

/**
 * How a service is:
 * - Ready: all of its replicas are.
 * - Degraded: some are not.
 * - NotReady: none is.
 * - Silent: nobody answers for it; what is shown is what it said last.
 * - Unknown: nobody answers for it, and it was never heard of.
 */
export const SERVICE_STATES = ['Ready', 'Degraded', 'NotReady', 'Silent', 'Unknown'] as const;

const text = z.string();
const time = z.iso.datetime();
const health = z.enum(PLATFORM_HEALTHS);
const serviceState = z.enum(SERVICE_STATES);

const problem = z.object({
  severity: z.enum(['critical', 'warning']),
  area: z.enum([
    'service',
    'queue',
    'lease',
    'nats',
    'postgres',
    'certificate',
    'clock',
    'version',
    'recovery',
    'marketplace',
  ]),
  subject: text.describe('What it is about, such as a service or a replica'),
  message: text,
  remedy: text.describe('What to do'),
});

const service = serviceReportSchema
  .omit({ service: true, at: true, answeredBy: true, certificates: true, database: true })
  .extend({
    name: text,
    state: serviceState,
    answered: z.boolean(),
    message: text.optional().describe('Why it did not answer'),
    tookMs: z.int().min(0).describe('How long the answer took, or was waited for'),
    asOf: time.optional().describe('When it said so; absent: never'),
    migrations: z.object({ applied: z.int(), latest: text }).optional(),
  });

const server = serviceReportSchema.shape.database
  .unwrap()
  .omit({ migrations: true })
  .extend({ services: z.array(text).describe('Whose tables it holds') });

const nats = z.object({
  connected: z.boolean().describe('Whether the replica that answers is'),
  server: text.optional(),
  version: text.optional(),
  roundTripMs: z.number().optional(),
  reconnects: z.int().min(0).describe('Of the replica that answers, since its start'),
  jetStream: z
    .object({ used: z.boolean(), available: z.boolean(), message: text })
    .describe('Nothing is kept in NATS, so nothing can pile up there: work waits in the queues'),
});

const upgrade = z.object({
  available: z
    .object({
      version: text.describe('What this installation may be upgraded to in one step'),
      channel: text,
      releasedAt: time,
      isSecurity: z.boolean().describe('It, or one that it passes over, closes a security hole'),
      newest: text.describe('The newest version of the channel'),
      summary: text.optional(),
      notes: text.optional().describe('Where its notes are'),
    })
    .nullable(),
  reason: text.describe('Why there is one, or none, in one word'),
  message: text,
});

const marketplace = z.object({
  reason: text.describe('Whether AWS Marketplace knows what was used, in one word'),
  message: text,
  openHours: z.int().min(0).describe('Hours that have ended and are not told yet'),
  lastReportedHour: time.optional().describe('The newest hour that it was told of'),
});

/** What everybody who signed in may know. */
export const platformSummarySchema = z.object({
  kind: z.literal('PlatformStatus'),
  detail: z.literal('summary'),
  at: time,
  health,
  version: text,
  inCluster: z
    .boolean()
    .optional()
    .describe('It looks after the cluster that it runs in, and makes none; absent: it makes clusters'),
  services: z.array(z.object({ name: text, state: serviceState })),
});

/** What platform administrators see. */
export const platformStatusSchema = platformSummarySchema.extend({
  detail: z.literal('full'),
  versions: z.array(text).describe('All that replicas run; more than one during an upgrade'),
  problems: z.array(problem).describe('What somebody should do something about, the worst first'),
  services: z.array(service),
  nats,
  postgres: z.array(server).describe('Each server once, whoever keeps something on it'),
  certificates: z.array(serviceReportSchema.shape.certificates.element.extend({ service: text })),
  clockSkewMs: z.number().optional().describe('Between the clocks that are furthest apart, as far as that is known'),
  upgrade,
  marketplace: marketplace.optional().describe('Absent: Crate was not bought at AWS Marketplace'),
});

/** Answer of `PLATFORM_STATUS_PATH` to everybody but platform administrators: no hosts, no holders, nothing of Projects. */
export type PlatformSummary = z.output<typeof platformSummarySchema>;
/** Answer of `PLATFORM_STATUS_PATH` to platform administrators; `detail` tells it from the summary. Times are RFC 3339, in UTC. */
export type PlatformStatus = z.output<typeof platformStatusSchema>;
/** As bad as the worst problem: Failing with one that is critical, Degraded with any other. */
export type PlatformHealth = (typeof PLATFORM_HEALTHS)[number];
/** Something that a person should do something about; nothing keeps it, so it is gone once its cause is. */
export type PlatformProblem = z.output<typeof problem>;
/** A service by what it says of itself; of one that is Silent it is the last that it said, as of `asOf`. */
export type PlatformService = z.output<typeof service>;
/** A database server with all services that keep something on it; sizes are in bytes. */
export type PostgresServerStatus = z.output<typeof server>;
/** `SERVICE_STATES` says what each means. */
export type ServiceState = (typeof SERVICE_STATES)[number];
