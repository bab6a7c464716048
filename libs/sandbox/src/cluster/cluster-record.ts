import { z } from 'zod';

const member = z.object({
  /** The machine whose disk holds this node. */
  machineId: z.string(),
  nodeName: z.string(),
  address: z.string(),
  /** Those that what runs there was started for. */
  roles: z.array(z.enum(['etcd', 'controlplane', 'worker'])),
});

/** A machine that Kubernetes runs on. */
export type ClusterMember = z.output<typeof member>;

const network = z.object({
  plugin: z.string(),
  podCidr: z.string(),
  serviceCidr: z.string(),
  dnsServer: z.string(),
  domain: z.string(),
});

export type ClusterNetwork = z.output<typeof network>;

const certificates = z.object({
  ca: z.string(),
  serverCertificate: z.string(),
  serverKey: z.string(),
  /** The server's certificate as it is once its time is over; shown on request only. */
  expiredServerCertificate: z.string().exactOptional(),
  serviceAccountKey: z.string(),
});

export type ClusterCertificates = z.output<typeof certificates>;

/** What a simulated cluster is besides its objects: what lies on the disks of its machines. */
export const clusterRecord = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  /** Kubernetes version of the control plane, such as `v1.31.4`. */
  version: z.string(),
  network,
  certificates,
  /** The API server has been started; before that its address refuses connections. */
  hasControlPlane: z.boolean(),
  members: z.array(member),
});

export type ClusterRecord = z.output<typeof clusterRecord>;

/** How long simulated work takes; all zero in tests. */
export interface Latency {
  /** One stage of the engine, such as bringing up etcd. */
  readonly stageMs: number;
  /** From scheduled to ready. */
  readonly podStartMs: number;
  /** From a node that stopped answering to its pods being replaced. */
  readonly podEvictionMs: number;
}

const LATENCY: Latency = { stageMs: 400, podStartMs: 600, podEvictionMs: 5_000 };

/** The usual latency times `scale`; 0 for none. */
export function scaledLatency(scale: number): Latency {
  return {
    stageMs: LATENCY.stageMs * scale,
    podStartMs: LATENCY.podStartMs * scale,
    podEvictionMs: LATENCY.podEvictionMs * scale,
  };
}
