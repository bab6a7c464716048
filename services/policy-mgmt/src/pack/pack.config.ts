import { fileURLToPath } from 'node:url';
import { duration } from '@crate/config';
import { z } from 'zod';

const SHIPPED_PACKS = fileURLToPath(new URL('../../packs', import.meta.url));

/** Where policy packs come from. */
export const packsConfig = z
  .object({
    dir: z
      .string()
      .default(SHIPPED_PACKS)
      .meta({ defaultText: 'the packs that ship' })
      .describe('Directory of policy packs, one YAML file each'),
    folders: z.array(z.string()).default([]).describe('Further directories of packs, such as mounted volumes'),
    artifacts: z
      .array(z.string())
      .default([])
      .describe('Packs in OCI registries, such as registry.example.com/policies/bank:1.2; each has to be signed'),
    publicKeyFiles: z
      .array(z.string())
      .default([])
      .describe('PEM public keys, as of cosign; one of them must have signed each artifact'),
    credentialsFile: z
      .string()
      .optional()
      .describe('Docker configuration with credentials for registries, such as a mounted .dockerconfigjson'),
    refreshMs: duration().min(1_000).default(600_000).describe('How often all packs are read again'),
  })
  .prefault({});

export type PacksConfig = z.output<typeof packsConfig>;
