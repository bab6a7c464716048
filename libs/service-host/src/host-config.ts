import { z } from 'zod';
import { age, duration, port, secret } from '@crate/config';
import { tracingConfig } from './tracing-config.js';

/** Settings that every service has. */
export const hostConfig = z.object({
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('Lines below this level are dropped'),
  stopMs: duration()
    .min(1_000)
    .default(20_000)
    .describe('How long an orderly stop may take; the process ends after that, and with it what it started'),
  stopDelayMs: duration()
    .default(0)
    .describe(
      'How long a service that is to stop, and begins no more work, still takes calls, while /readyz says that it is not ready: balancers go on sending until they have heard of it. Part of CRATE_STOP_MS',
    ),
  database: z
    .object({
      url: secret().describe('PostgreSQL connection URL'),
      schema: z.string().optional().describe("Schema of the service's tables; default: its name with underscores"),
      poolSize: z
        .int()
        .min(2)
        .max(100)
        .default(10)
        .describe('Connections of one process; it takes up to four more, for events and for its recovery marker'),
    })
    .describe('PostgreSQL'),
  nats: z.object({
    url: z
      .string()
      .describe(
        'URL of the NATS server, or of those of a cluster with commas between them; with tls:// one without TLS is refused',
      ),
    user: z.string().describe('NATS user; its subject permissions are the call matrix'),
    password: secret().describe('NATS password'),
    tls: z
      .object({
        caFile: z.string().optional().describe('PEM file with the authorities of the NATS server'),
        certificateFile: z.string().optional().describe('PEM file with the certificate of this client'),
        keyFile: z.string().optional().describe('PEM file with its private key'),
      })
      .optional(),
  }),
  keys: z.object({
    privateDir: z.string().describe("Directory of this service's signing keys"),
    trustDir: z.string().describe('Directory of the public keys of all services'),
  }),
  encryption: z.object({
    keysDir: z
      .string()
      .describe('Directory of the key-encryption keys; made, with a first key, while nothing is stored'),
    keptVersions: z
      .int()
      .min(1)
      .max(10_000)
      .default(20)
      .describe('Versions of each secret that are kept, and of as many runs the last one; of Terraform states, too'),
    renewalCheckMs: duration()
      .min(100)
      .default(15_000)
      .describe('How often it is looked whether records stand under an older key than the newest; they are then moved'),
    settleMs: age()
      .default(3 * 60_000)
      .describe(
        'How long a further key is only read with, until its file has come to every replica; then it is written with',
      ),
  }),
  recovery: z
    .object({
      markerFile: z
        .string()
        .optional()
        .describe(
          'File outside the database that remembers how far the database has come; without it a restored backup is not noticed',
        ),
      noteMs: duration().min(100).default(2_000).describe('How often that is noted'),
    })
    .prefault({})
    .describe('What is done about a database that was set back to an older point'),
  audit: z
    .object({
      checkpointMs: duration()
        .min(1_000)
        .default(60_000)
        .describe('How often the audit log is verified and a signed checkpoint of it goes to the log'),
      retentionMs: age()
        .default(31_536_000_000)
        .describe('Rows of the audit log older than this are cut, which a later row tells; 0 keeps all'),
    })
    .prefault({}),
  health: z
    .object({
      host: z.string().default('127.0.0.1').describe('Address that health and metrics listen on'),
      port: port().default(0).describe('Port of /healthz, /readyz and /metrics'),
    })
    .prefault({}),
  tracing: tracingConfig,
  events: z
    .object({
      keepMs: age()
        .default(24 * 60 * 60_000)
        .describe('How long an event is kept after it happened last'),
      mostPerNamespace: z
        .int()
        .min(100)
        .default(50_000)
        .describe('Events kept of one Project; the oldest go first when there are more'),
    })
    .prefault({})
    .describe('What people are told'),
  history: z
    .object({
      changes: z
        .int()
        .min(1_000)
        .max(10_000_000)
        .default(100_000)
        .describe('Changes of objects kept for watches to resume from and lists to continue; older ones are 410 Gone'),
      maxAgeMs: age()
        .default(24 * 60 * 60_000)
        .describe('Changes older than this are forgotten too, however few there are'),
      checkMs: duration().default(60_000).describe('How often changes that are too old are looked for'),
    })
    .prefault({}),
  reconcile: z
    .object({
      leaseMs: duration()
        .default(12_000)
        .describe(
          'How long a pass holds its key without renewing; what a replica that died worked on waits for so long',
        ),
      pollMs: duration().default(5_000).describe('Safety poll of the work queue'),
      backoffCapMs: duration()
        .default(30_000)
        .describe(
          'Longest pause before a failed pass is tried again; where only somebody else can help, it is ten times that, and five minutes at most',
        ),
      graceMs: duration().default(10_000).describe('How long passes may finish at shutdown'),
    })
    .prefault({}),
});

/** Parsed: all defaults are filled in. Times are in milliseconds. */
export type HostConfig = z.output<typeof hostConfig>;
