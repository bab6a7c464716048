import { z } from 'zod';
import { AGE, column, defineCoreKind, type CoreObject } from './define-core-kind.js';
import { anyObject, asAtomicMap, conditions, intOrString, keyed, objectReference, texts } from './fields.js';

const port = z.int().min(1).max(65_535);
const protocol = z.enum(['TCP', 'UDP', 'SCTP']).default('TCP');

const servicePort = z.strictObject({
  name: z.string().optional(),
  protocol,
  appProtocol: z.string().optional(),
  port,
  targetPort: intOrString.optional(),
  nodePort: z.int().optional(),
});

const service = z.strictObject({
  spec: z.strictObject({
    type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName']).default('ClusterIP'),
    selector: texts.meta(asAtomicMap).optional(),
    ports: z.array(servicePort).meta(keyed('port', 'protocol')).optional(),
    clusterIP: z.string().optional(),
    clusterIPs: z.array(z.string()).optional(),
    ipFamilies: z.array(z.string()).optional(),
    ipFamilyPolicy: z.string().optional(),
    externalIPs: z.array(z.string()).optional(),
    externalName: z.string().optional(),
    externalTrafficPolicy: z.enum(['Cluster', 'Local']).optional(),
    internalTrafficPolicy: z.enum(['Cluster', 'Local']).optional(),
    trafficDistribution: z.string().optional(),
    sessionAffinity: z.enum(['None', 'ClientIP']).default('None'),
    sessionAffinityConfig: anyObject.optional(),
    publishNotReadyAddresses: z.boolean().optional(),
    healthCheckNodePort: z.int().optional(),
    loadBalancerClass: z.string().optional(),
    loadBalancerIP: z.string().optional(),
    loadBalancerSourceRanges: z.array(z.string()).optional(),
    allocateLoadBalancerNodePorts: z.boolean().optional(),
  }),
  status: z
    .looseObject({ loadBalancer: z.looseObject({ ingress: z.array(anyObject).optional() }).optional(), conditions })
    .optional(),
});

export const SERVICE = defineCoreKind({
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  body: service,
  hasStatus: true,
  columns: [
    column('Type', '.spec.type'),
    column('Cluster-IP', '.spec.clusterIP'),
    column('External-IP', '.printed.externalIP'),
    column('Port(s)', '.printed.ports'),
    AGE,
    column('Selector', '.printed.selector', 'string', true),
  ],
  selectableFields: ['spec.clusterIP', 'spec.type'],
});
export type Service = CoreObject<typeof service>;

const address = z.strictObject({
  ip: z.string(),
  hostname: z.string().optional(),
  nodeName: z.string().optional(),
  targetRef: objectReference.optional(),
});
const endpointPort = z.strictObject({
  name: z.string().optional(),
  port,
  protocol,
  appProtocol: z.string().optional(),
});

const endpoints = z.strictObject({
  subsets: z
    .array(
      z.strictObject({
        addresses: z.array(address).optional(),
        notReadyAddresses: z.array(address).optional(),
        ports: z.array(endpointPort).optional(),
      }),
    )
    .optional(),
});

export const ENDPOINTS = defineCoreKind({
  kind: 'Endpoints',
  plural: 'endpoints',
  shortNames: ['ep'],
  body: endpoints,
  columns: [column('Endpoints', '.printed.endpoints'), AGE],
});
export type Endpoints = CoreObject<typeof endpoints>;

const endpointSlice = z.strictObject({
  addressType: z.enum(['IPv4', 'IPv6', 'FQDN']),
  endpoints: z.array(
    z.strictObject({
      addresses: z.array(z.string()),
      conditions: z
        .strictObject({
          ready: z.boolean().optional(),
          serving: z.boolean().optional(),
          terminating: z.boolean().optional(),
        })
        .optional(),
      hostname: z.string().optional(),
      nodeName: z.string().optional(),
      zone: z.string().optional(),
      hints: anyObject.optional(),
      deprecatedTopology: texts.optional(),
      targetRef: objectReference.optional(),
    }),
  ),
  ports: z
    .array(
      z.strictObject({
        name: z.string().optional(),
        port: port.optional(),
        protocol,
        appProtocol: z.string().optional(),
      }),
    )
    .optional(),
});

export const ENDPOINT_SLICE = defineCoreKind({
  group: 'discovery.k8s.io',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  body: endpointSlice,
  columns: [
    column('AddressType', '.addressType'),
    column('Ports', '.printed.ports'),
    column('Endpoints', '.printed.endpoints'),
    AGE,
  ],
});
export type EndpointSlice = CoreObject<typeof endpointSlice>;
