import { z } from 'zod';

const name = (fallback: string): z.ZodDefault<z.ZodString> =>
  z
    .string()
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be a DNS label')
    .default(fallback);

/** Whether the platform looks after the cluster that it runs in, and no other. */
export const inClusterConfig = z
  .object({
    enabled: z
      .boolean()
      .default(false)
      .describe('Looks after the cluster that the platform runs in, and no other; cloud-mgmt is then not needed'),
    project: name('platform').describe('Project of that cluster; made when it is not there'),
    name: name('in-cluster').describe('Name of that cluster'),
  })
  .prefault({});

export type InClusterConfig = z.output<typeof inClusterConfig>;
