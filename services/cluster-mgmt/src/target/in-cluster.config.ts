import { z } from 'zod';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The way into the cluster that this service runs in. */
export const inClusterConfig = z
  .object({
    enabled: z
      .boolean()
      .default(false)
      .describe('Looks after the cluster that the platform runs in; lifecycle has to be told the same'),
    kubeconfigFile: z
      .string()
      .optional()
      .describe('Kubeconfig with embedded credentials of that cluster; absent: the ServiceAccount of the pod'),
    server: z.string().default('https://kubernetes.default.svc').describe('API server, for a ServiceAccount'),
    tokenFile: z
      .string()
      .default(`${SERVICE_ACCOUNT}/token`)
      .describe('Token of the ServiceAccount, read anew whenever it is needed'),
    caFile: z
      .string()
      .default(`${SERVICE_ACCOUNT}/ca.crt`)
      .describe('PEM file with the authority of the API server, read anew whenever it is needed'),
  })
  .prefault({});

export type InClusterConfig = z.output<typeof inClusterConfig>;
