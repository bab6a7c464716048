import { z } from 'zod';
import { age, port } from '@crate/config';
import { deletionWarningAfterMs, hostConfig } from '@crate/service-host';
import { componentsConfig } from './component/component.config.js';
import { consoleConfig } from './front-door/console/console-config.js';
import { doorConfig } from './front-door/door-config.js';
import { inClusterConfig } from './in-cluster/in-cluster.config.js';
import { meteringConfig } from './metering/metering.config.js';
import { notificationConfig, smtpConfig } from './notification/notification-config.js';
import { releasesConfig } from './release/release.config.js';

const DAY_MS = 86_400_000;

/** Configuration of the lifecycle service, read from CRATE_ variables. */
export const lifecycleConfig = hostConfig.extend({
  api: z
    .object({
      host: z.string().default('127.0.0.1').describe('Address that the public API listens on'),
      port: port().default(6440).describe('Port of the public API'),
      tls: z
        .object({
          certificateFile: z.string().describe('PEM file with the certificate chain of the API'),
          keyFile: z.string().describe('PEM file with its private key'),
        })
        .describe('TLS of the public API; tokens never travel without it'),
      ...doorConfig,
    })
    .describe('The public API'),
  authentication: z
    .object({
      issuersFile: z.string().optional().describe('YAML file that lists the OpenID Connect issuers of people'),
    })
    .prefault({}),
  console: consoleConfig,
  inCluster: inClusterConfig,
  marketplace: meteringConfig,
  notification: notificationConfig,
  releases: releasesConfig,
  components: componentsConfig,
  smtp: smtpConfig,
  apiKeys: z
    .object({
      defaultLifetimeMs: age()
        .default(90 * DAY_MS)
        .describe('How long a token of a key is good that states nothing'),
      maxLifetimeMs: age()
        .default(365 * DAY_MS)
        .describe('Longest lifetime that a key may state'),
    })
    .refine(({ defaultLifetimeMs, maxLifetimeMs }) => defaultLifetimeMs <= maxLifetimeMs, {
      path: ['defaultLifetimeMs'],
      message: 'must not be longer than the longest lifetime',
    })
    .prefault({}),
  addOns: z.object({ dir: z.string().describe('Directory of add-on packages, one folder each') }),
  cluster: z
    .object({
      concurrency: z.int().min(1).max(200).default(16).describe('Clusters worked on at a time'),
    })
    .prefault({}),
  deletion: z.object({ warningAfterMs: deletionWarningAfterMs }).prefault({}),
  policy: z
    .object({
      unavailable: z
        .object({
          clusterSpec: z
            .enum(['deny', 'allow'])
            .default('deny')
            .describe('What becomes of a Cluster while policy-mgmt does not answer; allow: it is judged later'),
        })
        .prefault({}),
    })
    .prefault({}),
});

export type LifecycleConfig = z.output<typeof lifecycleConfig>;
