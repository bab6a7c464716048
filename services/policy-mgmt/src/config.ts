import { fileURLToPath } from 'node:url';
import { hostConfig } from '@crate/service-host';
import { z } from 'zod';

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
});

export type PolicyMgmtConfig = z.output<typeof policyMgmtConfig>;
