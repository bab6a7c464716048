import { z } from 'zod';
import { anyList, anyMap, name, quantity, strings } from './fields.js';

/** What differs between services before anybody says otherwise. */
export interface ServiceDefaults {
  readonly replicas: number;
  readonly cpu: string;
  readonly memory: string;
  readonly memoryLimit: string;
  readonly volume: string;
  /** PromQL that KEDA scales by, and how much of it one replica takes. */
  readonly query: string;
  readonly threshold: number;
  readonly stopSeconds: number;
}

/** Settings that every service has; `own` are those of one. */
export function serviceValues(defaults: ServiceDefaults, own: z.ZodRawShape): z.ZodObject {
  return z.strictObject({ ...common(defaults), ...own });
}

function common(defaults: ServiceDefaults): z.ZodRawShape {
  return {
    replicas: z.int().min(1).max(50).default(defaults.replicas).describe('Pods, unless something scales them'),
    image: z.strictObject({
      name: z.string().default('').describe('Name of the image; empty: crate-<service>'),
      digest: z
        .string()
        .regex(/^(sha256:[0-9a-f]{64})?$/)
        .default('')
        .describe('Digest such as sha256:…, which is then pulled whatever the tag says'),
    }),
    resources: anyMap({
      requests: { cpu: defaults.cpu, memory: defaults.memory },
      limits: { memory: defaults.memoryLimit },
    }).describe('Requests and limits of the container'),
    env: strings().describe('Further environment variables, such as CRATE_TERRAFORM_CONCURRENCY; see docs/config.md'),
    secrets: z.strictObject({
      credentials: name().describe(
        'Secret with database-url and nats-password; empty: <fullname>-<service>-credentials',
      ),
      keys: name().describe('Secret with the signing and sealing keys; empty: <fullname>-<service>-keys'),
      encryption: name().describe('Secret with the key-encryption keys; empty: <fullname>-<service>-encryption'),
    }),
    persistence: z.strictObject({
      size: quantity(defaults.volume).describe('Size of the volume of each pod'),
      storageClassName: z.string().default('').describe("Its class; empty: the cluster's default"),
    }),
    autoscaling: z.strictObject({
      kind: z.enum(['none', 'hpa', 'keda']).default('none').describe('Who sets the number of pods'),
      minReplicas: z.int().min(1).max(50).default(2),
      maxReplicas: z.int().min(1).max(50).default(6),
      cpuPercent: z.int().min(10).max(95).default(70).describe('With hpa: share of the requested CPU that is aimed at'),
      query: z
        .string()
        .default(defaults.query)
        .describe('With keda: PromQL that is divided among pods; a template, as those of the chart'),
      threshold: z.number().min(0.1).default(defaults.threshold).describe('With keda: how much of it one pod takes'),
    }),
    podDisruptionBudget: z.strictObject({
      enabled: z.boolean().default(true),
      maxUnavailable: z.int().min(1).max(10).default(1).describe('Pods that may be away for maintenance of nodes'),
    }),
    serviceAccount: z.strictObject({
      name: name().describe('Name of a ServiceAccount that is there; empty: one is made'),
      annotations: strings().describe('Annotations of the one that is made'),
    }),
    terminationGracePeriodSeconds: z
      .int()
      .min(30)
      .max(3600)
      .default(defaults.stopSeconds)
      .describe('From asking a pod to stop until it is killed; its service ends by itself 10 s before'),
    podAnnotations: strings(),
    podLabels: strings(),
    nodeSelector: strings(),
    tolerations: anyList(),
    affinity: anyMap(),
    priorityClassName: z.string().default(''),
    extraVolumes: anyList().describe('Further volumes, such as policy packs or a private authority'),
    extraVolumeMounts: anyList(),
  };
}
