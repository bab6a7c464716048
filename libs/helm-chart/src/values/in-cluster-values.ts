import { z } from 'zod';
import { anyList, name } from './fields.js';

const dnsLabel = (fallback: string): z.ZodDefault<z.ZodString> =>
  z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
    .max(63)
    .default(fallback);

/** Crate for the one cluster that it runs in. */
export const inClusterValues = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('Looks after the cluster that the release is in, and makes no other; cloud-mgmt is then left out'),
    project: dnsLabel('platform').describe('Project in which that cluster is shown'),
    name: dnsLabel('in-cluster').describe('Name by which it is shown'),
    server: z
      .string()
      .regex(/^https:\/\/\S+$/)
      .default('https://kubernetes.default.svc')
      .describe('Its API server, as pods reach it'),
    rules: anyList().describe(
      'Further rules of the ClusterRole that is made: what add-ons of yours are made of, with the verbs get, create, patch and delete',
    ),
    clusterRole: name().describe('Name of a ClusterRole that is there, in the place of the one that is made'),
  })
  .describe('One cluster that looks after itself: docs/install/in-cluster.md');
