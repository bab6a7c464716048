import { z } from 'zod';

/** How versions of the platform's own services are installed. */
export const componentsConfig = z
  .object({
    directory: z
      .string()
      .optional()
      .describe(
        'Directory by which whoever runs the services is told their versions, as `crate up` sets it; absent: upgrades come from outside',
      ),
  })
  .prefault({});

export type ComponentsConfig = z.output<typeof componentsConfig>;
