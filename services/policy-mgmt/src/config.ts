import { age } from '@crate/config';
import { hostConfig } from '@crate/service-host';
import { z } from 'zod';
import { packsConfig } from './pack/pack.config.js';
import { webhookConfig } from './webhook/webhook.config.js';

const DAY_MS = 86_400_000;

/** Configuration of the policy-mgmt service, read from CRATE_ variables. */
export const policyMgmtConfig = hostConfig.extend({
  packs: packsConfig,
  webhook: webhookConfig,
  waivers: z
    .object({
      longestMs: age()
        .min(60_000)
        .default(180 * DAY_MS)
        .describe('How far away the end of a new PolicyWaiver may be'),
      noticesMs: z
        .array(age())
        .max(10)
        .default([7 * DAY_MS, DAY_MS])
        .meta({ defaultText: '7d,1d' })
        .describe('How long before a PolicyWaiver ends an event says so; several may be given'),
    })
    .prefault({}),
  reports: z
    .object({
      everyMs: age()
        .min(60_000)
        .default(60 * 60_000)
        .describe('How often what is there is judged again though no rule, waiver or document has changed'),
      passesPerSecond: z
        .number()
        .min(0.1)
        .max(1_000)
        .default(20)
        .describe(
          'How many clusters and Projects a replica judges again and reports in a second at most: a burst is spread, so that reviews, which somebody waits for, keep the processor',
        ),
      documentsKeptMs: age()
        .min(DAY_MS)
        .default(7 * DAY_MS)
        .describe(
          'Documents that nobody asked about for so long are forgotten, and the reports of them; counted in days',
        ),
      historyKeptMs: age()
        .min(DAY_MS)
        .default(90 * DAY_MS)
        .describe('How long the numbers of a day are kept'),
    })
    .prefault({})
    .describe('What is judged again, and reported'),
});

export type PolicyMgmtConfig = z.output<typeof policyMgmtConfig>;
