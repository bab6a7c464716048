import { z } from 'zod';
import { cidrsOverlap, dnsLabel, ipv4Cidr, labels, localRef, parseCidr, statusBase, taint } from '../kind/fields.js';
import { LIFECYCLE_GROUP, V1ALPHA1 } from '../kind/groups.js';
import {
  defineKind,
  DRIFT_SUBRESOURCE,
  KUBECONFIG_SUBRESOURCE,
  LOGS_SUBRESOURCE,
  PLAN_SUBRESOURCE,
  type ObjectOf,
} from '../kind/kind.js';
import { repeats } from '../kind/repeats.js';
import { deletionStatus } from '../cloud/deletion.js';
import { driftSpec, driftStatus } from '../cloud/drift.js';
import { addOnDrift } from './add-on.js';
import { classRef, classStatus } from './cluster-class.js';
import { failureSchema } from './failure.js';
import { impact } from './impact.js';
import { loadBalancerPorts } from './load-balancer-ports.js';
import { changing } from './stated-impact.js';
import { completeSpec, requireOfMade } from './existing-cluster.js';
import { EXISTING, MOST_MACHINES } from './kubernetes-versions.js';

const machineType = z
  .string()
  .regex(/^[a-z][a-z0-9-]*\.[a-z0-9]+(-[a-z0-9]+)?$/, 'must be a machine type of the provider, such as m5.large');

const kubernetes = z
  .strictObject({
    engine: z
      .enum(['rke', EXISTING])
      .default('rke')
      .meta(
        changing(
          'What bootstraps Kubernetes on the machines; existing: nothing does, Crate looks after the cluster that it runs in',
          'replace',
        ),
      ),
    version: z
      .string()
      .optional()
      .meta(changing('Kubernetes version, such as v1.31.4; of an existing cluster none is stated', 'roll')),
  })
  .superRefine((value, context) => {
    // Which version it may be depends on the one that the cluster has, which admission knows.
    if (value.engine === EXISTING || value.version !== undefined) return;
    context.addIssue({ code: 'invalid_type', expected: 'string', input: undefined, path: ['version'] });
  });

const network = z
  .strictObject({
    vpcCidr: ipv4Cidr
      .refine((cidr) => isPrefixWithin(cidr, 16, 22), 'must have a prefix from /16 to /22')
      .default('10.20.0.0/16')
      .meta(changing('Address block of the cluster network', 'replace')),
    availabilityZones: z
      .int()
      .min(1)
      .max(3)
      .default(3)
      .meta(changing('Zones that machines are spread over', 'replace')),
    podCidr: ipv4Cidr.default('10.42.0.0/16').meta(changing('Address block of pods', 'replace')),
    serviceCidr: ipv4Cidr.default('10.43.0.0/16').meta(changing('Address block of services', 'replace')),
    loadBalancerPorts: loadBalancerPorts
      .optional()
      .meta(
        changing(
          "Ports of the cluster's load balancer that lead to node ports of its workers, and nowhere while it has none, open to the management networks; absent: its API alone",
          'replace',
          'none',
        ),
      ),
  })
  .superRefine((value, context) => {
    const blocks = ['vpcCidr', 'podCidr', 'serviceCidr'] as const;
    for (const [index, field] of blocks.entries()) {
      const clash = blocks.slice(0, index).find((other) => cidrsOverlap(value[field], value[other]));
      if (clash)
        context.addIssue({ code: 'custom', path: [field], message: `must not overlap ${clash} ${value[clash]}` });
    }
  });

const controlPlane = z.strictObject({
  replicas: z
    .int()
    .min(1)
    .max(7)
    .refine(
      (count) => count < 1 || count % 2 === 1,
      'must be odd, so that etcd keeps a majority when one machine fails',
    )
    .default(3)
    .meta(changing('Number of control-plane machines', 'roll', 'restart')),
  machineType: machineType
    .default('m5.large')
    .meta(changing('Machine type of control-plane machines; its processor architecture stays', 'restart')),
  diskGiB: z
    .int()
    .min(20)
    .max(4096)
    .default(50)
    .meta(
      changing(
        'Root disk in GiB, which only grows; its file system follows within minutes, and on machines that an older release made at their next restart',
        'none',
      ),
    ),
});

/** What every cluster that is made has, and one that was there has not. */
const MACHINES = { network: network.parse({}), controlPlane: controlPlane.parse({}) };

/** A group of worker machines. */
export const nodePool = z.strictObject({
  name: dnsLabel.max(30).meta(changing('Name of the pool, part of the names of its machines', 'replace')),
  replicas: z
    .int()
    .min(0)
    .max(200)
    .default(1)
    .meta(changing('Number of machines', 'roll', 'none')),
  machineType: machineType
    .default('m5.large')
    .meta(
      changing(
        'Machine type; machines are stopped for another one, one after the other and without being drained. For another processor architecture add a pool and take this one away',
        'restart',
      ),
    ),
  diskGiB: z
    .int()
    .min(20)
    .max(4096)
    .default(50)
    .meta(
      changing(
        'Root disk in GiB, which only grows; its file system follows within minutes, and on machines that an older release made at their next restart',
        'none',
      ),
    ),
  labels: labels.optional().meta(changing('Labels put on the nodes', 'none')),
  taints: z.array(taint).optional().meta(changing('Taints put on the nodes', 'restart')),
});

const addOn = z.strictObject({
  name: dnsLabel.meta(changing('Name of an AddOn of the catalogue', 'replace')),
  version: z
    .string()
    .optional()
    .meta(changing('Version that the cluster stays on, one of those the AddOn keeps; absent: the newest', 'restart')),
  enabled: z
    .boolean()
    .optional()
    .meta(
      changing('false: not installed, also where clusters of this cloud have it by default; absent: true', 'replace'),
    ),
  drift: addOnDrift
    .optional()
    .meta(
      changing('What is done about changes of its objects that were made in the cluster; absent: correct', 'restart'),
    ),
  values: z
    .looseObject({})
    .optional()
    .meta(changing("Values by the AddOn's schema; not for secrets: whoever may see the cluster sees them", 'restart')),
});

/** Conditions of a Cluster, in the order the journey takes them. */
export const CLUSTER_CONDITIONS = [
  'PolicyCompliant',
  'InfrastructureReady',
  'ControlPlaneReady',
  'NodesReady',
  'AddOnsReady',
] as const;

const phaseProgress = z.object({
  name: z.string(),
  state: z.enum(['Pending', 'Running', 'Done', 'Failed']),
  step: z.int(),
  steps: z.int(),
  message: z.string(),
});

/** One phase of the journey as a progress bar shows it. */
export type PhaseProgress = z.output<typeof phaseProgress>;

/** A Kubernetes cluster as a person asks for it. */
export const CLUSTER = defineKind({
  group: LIFECYCLE_GROUP,
  version: V1ALPHA1,
  kind: 'Cluster',
  plural: 'clusters',
  shortNames: ['cl'],
  categories: ['crate'],
  namespaced: true,
  description: 'A Kubernetes cluster: its machines, network, version and add-ons.',
  example: {
    accountRef: { name: 'main' },
    region: 'us-east-1',
    kubernetes: { engine: 'rke', version: 'v1.31.4' },
    controlPlane: { replicas: 3, machineType: 'm5.large' },
    nodePools: [{ name: 'workers', replicas: 3, machineType: 'm5.xlarge', labels: { tier: 'web' } }],
    addOns: [{ name: 'ingress', values: { replicas: 2 } }],
  },
  spec: z
    .strictObject({
      accountRef: localRef
        .optional()
        .meta(changing('CloudAccount that pays for it and holds the credentials', 'replace')),
      region: z
        .string()
        .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region of the provider, such as us-east-1')
        .optional()
        .meta(changing('Region of the provider', 'replace')),
      kubernetes,
      network: network.optional(),
      controlPlane: controlPlane.optional(),
      nodePools: z
        .array(nodePool)
        .default([])
        .superRefine(uniqueNames)
        .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
        .meta(
          changing(
            `Groups of worker machines; rke takes at most ${MOST_MACHINES.rke} machines in all, control plane included`,
            'roll',
            'none',
          ),
        ),
      addOns: z
        .array(addOn)
        .default([])
        .superRefine(uniqueNames)
        .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
        .meta(changing('Add-ons installed once nodes are ready', 'replace', 'none')),
      classRef: classRef.optional().meta(changing('ClusterClass that fills in what this spec leaves out', 'none')),
      parameters: z.looseObject({}).optional().meta(changing('Values for the parameters of the class', 'none')),
      deletionProtection: z
        .boolean()
        .optional()
        .meta(changing('Refuses a deletion that nobody confirmed; absent: as the class says, else off', 'none')),
      drift: driftSpec
        .prefault({})
        .meta(changing('What is done about changes that were made in the cloud behind the back of Crate', 'none')),
      maxImpact: impact
        .optional()
        .meta(
          changing(
            'Changes with more impact than this are refused; absent: no ceiling. What is not known counts as more',
            'none',
          ),
        ),
      paused: z
        .boolean()
        .default(false)
        .meta(
          changing(
            'Begins nothing in the cloud, on the machines or in the cluster until set back; a run under way ends by itself, and what is being deleted goes on',
            'none',
          ),
        ),
    })
    .superRefine(requireOfMade, { when: hasSpec })
    .overwrite((spec) => completeSpec(spec, MACHINES)),
  status: statusBase.extend({
    phases: z.array(phaseProgress).optional(),
    failure: failureSchema.optional(),
    apiEndpoint: z.string().optional().describe("URL of the cluster's own API"),
    version: z.string().optional(),
    nodes: z.object({ ready: z.int(), desired: z.int() }).optional(),
    nodePools: z
      .array(z.object({ name: z.string(), nodes: z.int(), ready: z.int() }))
      .optional()
      .describe('Nodes of each pool, as last seen'),
    addOns: z.array(z.object({ name: z.string(), version: z.string(), ready: z.boolean() })).optional(),
    policy: z
      .object({ fail: z.int(), warn: z.int() })
      .optional()
      .describe('Findings of the last review of the spec: fail: denied, or left standing only; warn: advice'),
    drift: driftStatus.optional().describe('What the last comparison with the cloud found'),
    deletion: deletionStatus.optional().describe('How the deletion stands'),
    class: classStatus.optional().describe('How the cluster stands to the newest revision of its class'),
  }),
  printerColumns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Version', type: 'string', jsonPath: '.spec.kubernetes.version', otherwise: '.status.version' },
    { name: 'Nodes', type: 'integer', jsonPath: '.status.nodes.ready' },
    { name: 'Region', type: 'string', jsonPath: '.spec.region' },
    { name: 'Progress', type: 'string', jsonPath: '.status.progress.message' },
    {
      name: 'In-sync',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="InSync")].status',
      priority: 1,
    },
    { name: 'Class', type: 'string', jsonPath: '.spec.classRef.name', priority: 1 },
    {
      name: 'Class-up-to-date',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="ClassUpToDate")].status',
      priority: 1,
    },
    { name: 'Endpoint', type: 'string', jsonPath: '.status.apiEndpoint', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  filledIn: ['kubernetes'],
  selectableFields: ['spec.region', 'spec.accountRef.name', 'spec.classRef.name'],
  subresources: [KUBECONFIG_SUBRESOURCE, LOGS_SUBRESOURCE, PLAN_SUBRESOURCE, DRIFT_SUBRESOURCE],
});

/** As stored: with defaults, and with what its Project and its class say where the document is silent. */
export type Cluster = ObjectOf<typeof CLUSTER>;
/** Account, region, network, control plane and version are absent of an existing cluster only: `madeSpecOf` narrows it to the others. */
export type ClusterSpec = Cluster['spec'];
/** What passes have seen last; each field is absent until one has seen it. */
export type ClusterStatus = NonNullable<Cluster['status']>;

/** What is missing is told together with what is wrong elsewhere. */
function hasSpec({ value }: z.core.ParsePayload): boolean {
  return typeof value === 'object' && value !== null;
}

function uniqueNames(items: readonly { name: string }[], context: z.RefinementCtx): void {
  const names = items.map(({ name }) => name);
  for (const index of repeats(names)) {
    context.addIssue({
      code: 'custom',
      path: [index, 'name'],
      message: `must be unique, "${names[index]}" stands twice`,
    });
  }
}

/** True also for a malformed block: that is an issue of its own. */
function isPrefixWithin(cidr: string, shortest: number, longest: number): boolean {
  const size = parseCidr(cidr)?.size;
  return size === undefined || (size <= 2 ** (32 - shortest) && size >= 2 ** (32 - longest));
}
