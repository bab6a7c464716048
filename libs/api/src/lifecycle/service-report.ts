import { z } from 'zod';

const text = z.string();
const whole = z.int().min(0);
const number = z.number().min(0);
const time = z.iso.datetime();

/** How often a replica says that it is there. */
export const REPLICA_BEAT_MS = 5_000;

/** A replica that missed three beats is silent. */
export const REPLICA_SILENT_AFTER_MS = 3 * REPLICA_BEAT_MS;

/**
 * How a replica stands:
 * - Ready: it takes work, and reaches what it needs.
 * - NotReady: it is there, and one of its checks fails.
 * - Silent: it said nothing for 15 s, and did not say that it stops.
 * - Replaced: silent, and another began on the same host since.
 * - Stopped: it ended in order.
 */
export const REPLICA_STATES = ['Ready', 'NotReady', 'Silent', 'Replaced', 'Stopped'] as const;

const check = z.object({
  name: text,
  ok: z.boolean(),
  message: text.optional().describe('Why not'),
});

const replica = z.object({
  name: text.describe('Of one run of one process: host and process'),
  host: text,
  pid: whole,
  version: text,
  nodeVersion: text,
  startedAt: time,
  lastSeen: time.describe('When it last said that it is there, by the clock of its database'),
  silentMs: whole.describe('Milliseconds since then'),
  uptimeSeconds: whole.describe('From its start until it was last seen'),
  state: z.enum(REPLICA_STATES),
  checks: z.array(check).describe('What readiness asks for'),
  eventLoop: z.object({
    utilization: z.number().min(0).max(1).describe('Share of the last beat in which the event loop was busy'),
  }),
  memory: z.object({ residentBytes: whole, heapUsedBytes: whole }),
  clockSkewMs: z
    .number()
    .optional()
    .describe('How far its clock is ahead of that of its database, give or take half of the time there and back'),
  nats: z.object({
    connected: z.boolean(),
    server: text.optional().describe('Name of the NATS server that it is connected to'),
    version: text.optional(),
    roundTripMs: number.optional(),
    reconnects: whole,
  }),
});

const queue = z.object({
  reconciler: text,
  depth: whole.describe('Keys that are known: due, in work and waiting for their time'),
  due: whole.describe('Keys that could be worked on now, and are not'),
  oldestWaitSeconds: number.describe('How long the oldest of these has been due'),
  inWork: whole,
  retrying: whole.describe('Keys whose last pass failed'),
  mostAttempts: whole.describe('Failed passes in a row of the key that has the most'),
});

const lease = z.object({
  kind: z.enum(['Work', 'TerraformState']).describe('A key of a work queue, or the state of an Infrastructure'),
  task: text.describe('The reconciler, or what is done to the state'),
  namespace: text.optional(),
  name: text,
  holder: text,
  since: time.optional().describe('Absent: it was taken before holders were noted'),
  until: time.optional().describe('When it ends unless it is renewed'),
  lastSeen: time.optional(),
  epoch: text.optional().describe('The fencing number: what an older one writes is refused'),
  state: z.enum(['live', 'orphaned']),
});

const run = z.object({
  program: z.enum(['terraform', 'rke']),
  operation: text,
  namespace: text.optional(),
  name: text,
  holder: text,
  since: time,
  lastSeen: time.optional(),
  epoch: text,
  state: z.enum(['live', 'orphaned']),
});

const certificate = z.object({
  use: text.describe('Such as api, nats-authority, nats-client or webhook'),
  expiresAt: time,
});

const database = z.object({
  name: text,
  serverStartedAt: time,
  version: text,
  role: z.enum(['primary', 'standby']).describe('A standby takes no writes'),
  standbys: whole.describe('Replicas that the server feeds, as far as the user of the service may see'),
  sizeBytes: whole,
  connections: z.object({ used: whole, most: whole }),
  oldestTransactionSeconds: number,
  migrations: z.object({ applied: whole, latest: text }),
});

/** What one service tells of itself; what it could not find out is named. */
export const serviceReportSchema = z.object({
  service: text,
  at: time.describe('By the clock of the replica that answered'),
  answeredBy: text.describe('The replica that answered for all'),
  replicas: z.array(replica),
  queues: z.array(queue),
  leases: z.array(lease).describe('The oldest first, at most 100'),
  omittedLeases: whole,
  runs: z.array(run).describe('Programs under way that change something, the oldest first, at most 100'),
  certificates: z.array(certificate),
  database: database.optional(),
  recovering: z
    .object({ since: time, reason: text })
    .optional()
    .describe('Nothing is destroyed until somebody confirms what a restored backup forgot'),
  missing: z.array(z.object({ part: text, message: text })).describe('Parts that did not answer in time'),
});

/**
 * One replica answers for all of its service, out of their database. Sizes are in bytes, times RFC 3339 in UTC; parts that
 * `missing` names are empty or absent.
 */
export type ServiceReport = z.output<typeof serviceReportSchema>;
/** By its last beat: one that ended is still told of for a while. */
export type ReplicaReport = z.output<typeof replica>;
/** `REPLICA_STATES` says what each means. */
export type ReplicaState = (typeof REPLICA_STATES)[number];
/** What waits for one reconciler, over all replicas. */
export type QueueReport = z.output<typeof queue>;
/** Orphaned: it has run out, or its holder is gone; the next pass takes it over, but for a state that a person locked. */
export type LeaseReport = z.output<typeof lease>;
/** A program that changes something now. Orphaned: whoever started it is gone, and the next pass takes over. */
export type RunReport = z.output<typeof run>;
/** What the service shows or trusts, never the certificate itself; `expiresAt` is RFC 3339, in UTC. */
export type CertificateReport = z.output<typeof certificate>;
/** As far as the user of the service may see the server; `connections.most` is the limit of the server. */
export type DatabaseReport = z.output<typeof database>;
