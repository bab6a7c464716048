import { z } from 'zod';
import { port } from '@crate/config';

const kubernetes = z
  .object({
    host: z.string().describe('Address of the API of the cluster that the platform runs in, as the chart sets it'),
    port: port().default(443).describe('Its port'),
    namespace: z.string().describe('Namespace of the chart'),
    fullname: z.string().default('crate').describe('What names of its StatefulSets begin with'),
    accessDir: z
      .string()
      .default('/var/run/secrets/kubernetes.io/serviceaccount')
      .describe('Directory with `token` and `ca.crt` of an account that may read and patch these StatefulSets'),
  })
  .optional();

/** How versions of the platform's own services are installed. */
export const componentsConfig = z
  .object({
    directory: z
      .string()
      .optional()
      .describe(
        'Directory by which whoever runs the services is told their versions, as `crate up` sets it; absent: upgrades come from outside',
      ),
    kubernetes,
  })
  .refine(({ directory, kubernetes: own }) => directory === undefined || own === undefined, {
    path: ['directory'],
    message: 'must be absent where Kubernetes runs the services',
  })
  .prefault({});

export type ComponentsConfig = z.output<typeof componentsConfig>;
