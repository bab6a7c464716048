import { z } from 'zod';
import { deletionStatus } from '../cloud/deletion.js';
import { ipv4Cidr, labels, statusBase, taint } from '../kind/fields.js';
import { CLUSTER_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, KUBECONFIG_SUBRESOURCE, LOGS_SUBRESOURCE, type ObjectOf } from '../kind/kind.js';
import { failureSchema } from '../lifecycle/failure.js';
import { EXISTING } from '../lifecycle/kubernetes-versions.js';
import { isConditionTrue } from '../object/conditions.js';

const node = z.strictObject({
  name: z.string().describe('Node name in the cluster'),
  address: z.string().describe('Address that SSH connects to, through the bastion'),
  role: z.enum(['control-plane', 'worker']),
  pool: z.string(),
  labels: labels.optional(),
  taints: z.array(taint).optional(),
});

/** A machine that is to be a node. */
export type ClusterNode = z.output<typeof node>;

/**
 * Kubernetes on machines that exist already. Until `nodes` is set the service only makes the SSH key,
 * whose public half machines are created with. With the engine `existing`: the cluster that the service runs in.
 */
export const KUBERNETES_CLUSTER = defineKind({
  group: CLUSTER_GROUP,
  version: V1ALPHA1,
  kind: 'KubernetesCluster',
  plural: 'kubernetesclusters',
  shortNames: ['kc'],
  categories: ['crate'],
  namespaced: true,
  description: 'Kubernetes bootstrapped on machines that exist already.',
  example: {
    engine: 'rke',
    version: 'v1.31.4',
    clusterName: 'demo',
    network: { podCidr: '10.42.0.0/16', serviceCidr: '10.43.0.0/16' },
    nodes: [{ name: 'demo-workers-0', address: '10.20.0.4', role: 'worker', pool: 'workers' }],
  },
  spec: z.strictObject({
    engine: z.enum(['rke', EXISTING]),
    version: z.string().optional().describe('Absent: the cluster is there, and upgraded by others'),
    clusterName: z.string(),
    network: z
      .strictObject({ podCidr: ipv4Cidr, serviceCidr: ipv4Cidr })
      .optional()
      .describe('Absent: the cluster is there, and has one'),
    apiEndpoint: z.strictObject({ host: z.string(), port: z.int() }).optional(),
    bastionHost: z.string().optional(),
    nodes: z
      .array(node)
      .default([])
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
  }),
  status: statusBase.extend({
    sshPublicKey: z.string().optional(),
    failure: failureSchema.optional(),
    apiEndpoint: z.string().optional(),
    version: z.string().optional(),
    stateSerial: z.int().optional(),
    silentSince: z
      .string()
      .optional()
      .describe('Since when its API server has answered nobody who looked, in UTC; absent while it answers'),
    deletion: deletionStatus.optional(),
    leftToTheCloud: z
      .array(
        z.object({
          kind: z.string().describe('Such as Service; KubernetesCluster when nobody answered'),
          name: z.string().describe('namespace/name in the cluster'),
          since: z.string().describe('Since when it was waited for, in UTC'),
        }),
      )
      .optional()
      .describe('What the cluster did not take away in time: waited for no longer, and looked after at the provider'),
    keptVolumes: z
      .array(z.string())
      .optional()
      .describe('Volumes at the provider that outlive the cluster, because their reclaim policy says so'),
    appliedHash: z.string().optional().describe('Hash of the engine configuration that was last applied in full'),
    nodes: z
      .array(z.object({ name: z.string(), role: z.string(), ready: z.boolean(), version: z.string() }))
      .optional(),
  }),
  printerColumns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Version', type: 'string', jsonPath: '.status.version' },
    { name: 'Progress', type: 'string', jsonPath: '.status.progress.message' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  subresources: [
    KUBECONFIG_SUBRESOURCE,
    LOGS_SUBRESOURCE,
    {
      name: 'lock',
      verbs: ['get'],
      description: 'The run that works on the cluster with its engine, and whether it lives; empty when there is none.',
    },
  ],
});

/** Made by lifecycle for a Cluster, before it has machines. */
export type KubernetesCluster = ObjectOf<typeof KUBERNETES_CLUSTER>;
/** As stored: `nodes` is empty until the machines are there. */
export type KubernetesClusterSpec = KubernetesCluster['spec'];
/** What passes have seen last; `sshPublicKey` is the first of it that is there. */
export type KubernetesClusterStatus = NonNullable<KubernetesCluster['status']>;

/**
 * Whether add-ons can be installed and updated in it: it is Ready, or its API server answers, it is of the version asked for, and one of the
 * nodes that carry workloads is ready. A node that is not, of many, may stay so for days. Not in an upgrade: what drains may need them as
 * they are. Pure.
 */
export function takesAddOns({ metadata, spec, status }: KubernetesCluster): boolean {
  const { conditions, version, nodes = [] } = status ?? {};
  if (isConditionTrue(conditions, 'Ready', metadata.generation)) return true;
  if (version === undefined || version !== spec.version) return false;
  const workers = spec.nodes.filter(({ role }) => role === 'worker');
  const hosts = workers.length > 0 ? workers : spec.nodes;
  const isReady = ({ name }: ClusterNode): boolean => nodes.some((node) => node.name === name && node.ready);
  return isConditionTrue(conditions, 'ControlPlaneReady') && hosts.some(isReady);
}
