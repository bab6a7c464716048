import { z } from 'zod';
import { AGE, column, defineCoreKind, type CoreObject } from './define-core-kind.js';
import { anyObject, intOrString, labelSelector } from './fields.js';

const backend = z.strictObject({
  service: z
    .strictObject({
      name: z.string().min(1),
      port: z.strictObject({ name: z.string().optional(), number: z.int().optional() }).optional(),
    })
    .optional(),
  resource: anyObject.optional(),
});

const ingress = z.strictObject({
  spec: z.strictObject({
    ingressClassName: z.string().optional(),
    defaultBackend: backend.optional(),
    tls: z
      .array(z.strictObject({ hosts: z.array(z.string()).optional(), secretName: z.string().optional() }))
      .optional(),
    rules: z
      .array(
        z.strictObject({
          host: z.string().optional(),
          http: z
            .strictObject({
              paths: z
                .array(
                  z.strictObject({
                    path: z.string().optional(),
                    pathType: z.enum(['Exact', 'Prefix', 'ImplementationSpecific']),
                    backend,
                  }),
                )
                .min(1, 'Required value'),
            })
            .optional(),
        }),
      )
      .optional(),
  }),
  status: anyObject.optional(),
});

export const INGRESS = defineCoreKind({
  group: 'networking.k8s.io',
  kind: 'Ingress',
  plural: 'ingresses',
  shortNames: ['ing'],
  body: ingress,
  hasStatus: true,
  columns: [
    column('Class', '.spec.ingressClassName'),
    column('Hosts', '.printed.hosts'),
    column('Address', '.printed.address'),
    column('Ports', '.printed.ports'),
    AGE,
  ],
});

export const INGRESS_CLASS = defineCoreKind({
  group: 'networking.k8s.io',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
  body: z.strictObject({
    spec: z.strictObject({ controller: z.string().min(1), parameters: anyObject.optional() }),
  }),
  columns: [column('Controller', '.spec.controller'), column('Parameters', '.printed.parameters'), AGE],
});

const peer = z.strictObject({
  podSelector: labelSelector.optional(),
  namespaceSelector: labelSelector.optional(),
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).optional() }).optional(),
});
const policyPort = z.strictObject({
  protocol: z.enum(['TCP', 'UDP', 'SCTP']).default('TCP'),
  port: intOrString.optional(),
  endPort: z.int().optional(),
});

export const NETWORK_POLICY = defineCoreKind({
  group: 'networking.k8s.io',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  shortNames: ['netpol'],
  body: z.strictObject({
    spec: z.strictObject({
      podSelector: labelSelector,
      policyTypes: z.array(z.enum(['Ingress', 'Egress'])).optional(),
      ingress: z
        .array(z.strictObject({ from: z.array(peer).optional(), ports: z.array(policyPort).optional() }))
        .optional(),
      egress: z
        .array(z.strictObject({ to: z.array(peer).optional(), ports: z.array(policyPort).optional() }))
        .optional(),
    }),
  }),
  columns: [column('Pod-Selector', '.printed.podSelector'), AGE],
});

const disruptionBudget = z.strictObject({
  spec: z.strictObject({
    minAvailable: intOrString.optional(),
    maxUnavailable: intOrString.optional(),
    selector: labelSelector.optional(),
    unhealthyPodEvictionPolicy: z.string().optional(),
  }),
  status: anyObject.optional(),
});

export type PodDisruptionBudget = CoreObject<typeof disruptionBudget>;

export const POD_DISRUPTION_BUDGET = defineCoreKind({
  group: 'policy',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  body: disruptionBudget,
  hasStatus: true,
  columns: [
    column('Min Available', '.printed.minAvailable'),
    column('Max Unavailable', '.printed.maxUnavailable'),
    column('Allowed Disruptions', '.status.disruptionsAllowed', 'integer'),
    AGE,
  ],
});

export const HORIZONTAL_POD_AUTOSCALER = defineCoreKind({
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  body: z.strictObject({
    spec: z.strictObject({
      scaleTargetRef: z.strictObject({ apiVersion: z.string().optional(), kind: z.string(), name: z.string() }),
      minReplicas: z.int().min(0).default(1),
      maxReplicas: z.int().min(1),
      metrics: z.array(anyObject).optional(),
      behavior: anyObject.optional(),
    }),
    status: anyObject.optional(),
  }),
  hasStatus: true,
  columns: [
    column('Reference', '.printed.reference'),
    column('MinPods', '.spec.minReplicas', 'integer'),
    column('MaxPods', '.spec.maxReplicas', 'integer'),
    column('Replicas', '.status.currentReplicas', 'integer'),
    AGE,
  ],
});
