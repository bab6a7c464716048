import { fileURLToPath } from 'node:url';
import { duration } from '@crate/config';
import { hostConfig } from '@crate/service-host';
import { z } from 'zod';

const DAY_MS = 86_400_000;
const SHIPPED_PACKS = fileURLToPath(new URL('../packs', import.meta.url));

/** Configuration of the policy-mgmt service, read from CRATE_ variables. */
export const policyMgmtConfig = hostConfig.extend({
  packs: z
    .object({
      dir: z
        .string()
        .default(SHIPPED_PACKS)
        .meta({ defaultText: 'the packs that ship' })
        .describe('Directory of policy packs, one YAML file each'),
    })
    .prefault({}),
  waivers: z
    .object({
      longestMs: duration()
        .min(60_000)
        .default(180 * DAY_MS)
        .describe('How far away the end of a new PolicyWaiver may be'),
      noticesMs: z
        .array(duration())
        .max(10)
        .default([7 * DAY_MS, DAY_MS])
        .describe('How long before a PolicyWaiver ends an event says so; several may be given'),
    })
    .prefault({}),
});

export type PolicyMgmtConfig = z.output<typeof policyMgmtConfig>;
