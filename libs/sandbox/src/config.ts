import { port } from '@crate/config';
import { z } from 'zod';

/** Configuration of the sandbox, read from CRATE_ variables. */
export const sandboxConfig = z.object({
  sandbox: z.object({
    dataDir: z.string().min(1).describe('Directory that the simulated world is kept in'),
    port: port().default(0).describe('Port of the control API, on loopback'),
    latencyScale: z
      .number()
      .min(0)
      .max(100)
      .default(1)
      .describe('Factor on the latency of the simulated cloud until its control API says otherwise; 0 for none'),
  }),
  log: z
    .object({
      level: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('Least level that is logged'),
    })
    .prefault({}),
});

/** Configuration of the sandbox. */
export type SandboxConfig = z.output<typeof sandboxConfig>;
