import { z } from 'zod';
import { parseCidr } from '@crate/api';
import { age, duration } from '@crate/config';
import { deletionWarningAfterMs, hostConfig } from '@crate/service-host';
import { MOST_RUNS, runCapacity, thisMachine } from './terraform-run/run-capacity.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Private networks (RFC 1918): whoever comes through a VPN or a peering, and nobody from the Internet. */
const PRIVATE_NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];

/** Settings of cloud-mgmt beyond those every service has. */
export const cloudMgmtConfig = hostConfig.extend({
  terraform: z
    .object({
      binary: z.string().optional().describe('Terraform or OpenTofu: a path or a name; default: the first in PATH'),
      concurrency: z
        .int()
        .min(1)
        .max(MOST_RUNS)
        .default(() => runCapacity(thisMachine()))
        .meta({
          defaultText: 'one per 512 MiB of its limit beyond 1 GiB, or of half of the machine; at most 4 per CPU',
        })
        .describe('Terraform runs at a time in one process'),
      timeoutMs: duration()
        .default(60 * MINUTE_MS)
        .describe('Longest time of a pass with Terraform from its turn on, however long it waited for that'),
      previewTimeoutMs: duration()
        .default(2 * MINUTE_MS)
        .describe('Longest time of a plan that somebody only wants to see, waiting for its turn included'),
      graceMs: duration()
        .default(2 * MINUTE_MS)
        .describe('From asking Terraform to stop until it is killed; what is in flight is finished meanwhile'),
    })
    .prefault({}),
  sweep: z
    .object({
      everyMs: age()
        .min(MINUTE_MS)
        .default(30 * MINUTE_MS)
        .describe('How often each CloudAccount is looked through for resources that nobody owns'),
      graceMs: age()
        .default(10 * MINUTE_MS)
        .describe(
          'How long such a resource must have been found before anything is done about it: listings lag behind',
        ),
      maxPerPass: z.int().min(1).max(200).default(20).describe('Abandoned resources removed in one go'),
    })
    .prefault({})
    .describe('What carries tags of Crate and belongs to nobody'),
  deletion: z
    .object({
      warningAfterMs: deletionWarningAfterMs,
      recordsKeptMs: age()
        .default(90 * DAY_MS)
        .describe(
          'How long the record of a deletion is kept; longer while something that was left behind is still there, but no longer than this after anybody could look',
        ),
      watchEveryMs: age()
        .min(MINUTE_MS)
        .default(60 * MINUTE_MS)
        .describe('How often what a forced deletion left behind is looked for'),
    })
    .prefault({})
    .describe('Deletion of Infrastructures'),
  policy: z
    .object({
      unavailable: z
        .object({
          terraformPlan: z
            .enum(['deny', 'allow'])
            .default('deny')
            .describe('What becomes of a plan while policy-mgmt does not answer; allow: what was made is judged later'),
        })
        .prefault({}),
    })
    .prefault({}),
  path: z
    .string()
    .default('/usr/local/bin:/usr/bin:/bin')
    .meta({ env: 'PATH' })
    .describe('Where programs are looked for'),
  workspacesDir: z.string().describe('Durable directory for the working files of Terraform, state included'),
  sandboxUrl: z.url().optional().describe('URL of the sandbox; without it the provider sandbox-aws is not offered'),
  managementCidrs: z
    .array(z.string().refine((cidr) => parseCidr(cidr) !== undefined, 'must be an IPv4 CIDR block'))
    .min(1)
    .default(PRIVATE_NETWORKS)
    .describe('Networks that may reach SSH of bastions and the API servers of clusters; AWS needs a public one'),
  meteredCluster: z
    .string()
    .regex(/^[a-z0-9-]+\/[a-z0-9-]+$/, 'must be project/name')
    .optional()
    .describe(
      'project/name of the cluster that the platform runs in, where AWS Marketplace meters it: pods on its workers may tell what is used; absent: none may',
    ),
});

export type CloudMgmtConfig = z.output<typeof cloudMgmtConfig>;
