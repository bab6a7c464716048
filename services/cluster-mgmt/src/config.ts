import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { age, duration } from '@crate/config';
import { deletionWarningAfterMs, hostConfig } from '@crate/service-host';
import { inClusterConfig } from './target/in-cluster.config.js';

/** Settings of cluster-mgmt beyond those every service has. */
export const clusterMgmtConfig = hostConfig.extend({
  rkeBinary: z.string().default('rke').describe('RKE: a path, or a name looked up in PATH'),
  path: z
    .string()
    .default('/usr/local/bin:/usr/bin:/bin')
    .meta({ env: 'PATH' })
    .describe('Where programs are looked for'),
  workspacesDir: z
    .string()
    .describe('Folder for the private files of engine runs; used where the machine has no file system in memory'),
  sshUser: z.string().default('ubuntu').describe('User that logs in to machines; must be allowed to use Docker there'),
  engine: z
    .object({
      concurrency: z
        .int()
        .min(1)
        .max(64)
        .default(() => 2 * availableParallelism())
        .meta({ defaultText: 'two per CPU' })
        .describe('Engine runs at a time in one process; they mostly wait for machines'),
      timeoutMs: duration()
        .default(45 * 60_000)
        .describe('Longest time of one engine run; an upgrade has seven minutes more for each turn of draining'),
      graceMs: duration().default(4000).describe('From asking an engine to stop until it is killed'),
    })
    .prefault({}),
  inCluster: inClusterConfig,
  policy: z
    .object({
      unavailable: z
        .object({
          engineConfig: z
            .enum(['deny', 'allow'])
            .default('deny')
            .describe('What becomes of an engine run while policy-mgmt does not answer; allow: it is judged later'),
          manifest: z
            .enum(['deny', 'allow'])
            .default('deny')
            .describe('What becomes of an add-on while policy-mgmt does not answer; allow: it is judged later'),
        })
        .prefault({}),
    })
    .prefault({}),
  contactGraceMs: age().default(60_000).describe('How long a silent cluster still counts as it was last seen'),
  deletion: z.object({ warningAfterMs: deletionWarningAfterMs }).prefault({}),
  removalPatienceMs: age()
    .default(10 * 60_000)
    .describe(
      'How long the deletion of a cluster waits for machines or a cluster that do not answer, and for a cluster to remove its load balancers and volumes',
    ),
});

export type ClusterMgmtConfig = z.output<typeof clusterMgmtConfig>;
