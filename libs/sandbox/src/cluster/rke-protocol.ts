import { z } from 'zod';

const key = z.object({
  /** Public half of the key that is used to log in, as a line of `authorized_keys`. */
  authorizedKey: z.string(),
  /** Proof over the request's challenge that the private half is at hand. */
  proof: z.string(),
});

const taint = z.object({
  key: z.string(),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});

const node = key.extend({
  address: z.string(),
  internalAddress: z.string(),
  hostname: z.string(),
  roles: z.array(z.enum(['etcd', 'controlplane', 'worker'])),
  labels: z.record(z.string(), z.string()),
  taints: z.array(taint),
});

/** A host of `cluster.yml` as the engine sends it to the sandbox. */
export type RkeNode = z.output<typeof node>;

const tunnels = z.object({
  challenge: z.string(),
  bastion: key.extend({ address: z.string() }).optional(),
  nodes: z.array(node),
});

const previousNode = node.pick({ address: true, roles: true, labels: true, taints: true }).extend({
  roles: z.array(z.string()),
});

/** A host as the state file has it. */
export type PreviousNode = z.output<typeof previousNode>;

/** What is needed to log in to the hosts. Private keys stay where they are. */
export type TunnelRequest = z.output<typeof tunnels>;

/** `rke up`, after the engine has read, checked and defaulted `cluster.yml` and made the certificates. */
export const upRequest = tunnels.extend({
  clusterName: z.string(),
  kubernetesVersion: z.string(),
  network: z.object({
    plugin: z.string(),
    podCidr: z.string(),
    serviceCidr: z.string(),
    dnsServer: z.string(),
    domain: z.string(),
  }),
  ingress: z.string(),
  monitoring: z.string(),
  /** Further manifests, as one YAML text. */
  addons: z.string(),
  certificates: z.object({
    ca: z.string(),
    serverCertificate: z.string(),
    serverKey: z.string(),
    /** The server's certificate as it is once its time is over: only the engine can sign it. */
    expiredServerCertificate: z.string().exactOptional(),
    serviceAccountKey: z.string(),
  }),
  /** Hosts that are the cluster by the state file, which alone says what is to be removed, off nodes too; absent when it knows of none. */
  previousNodes: z.array(previousNode).optional(),
  isUpdateOnly: z.boolean(),
  /** How nodes of a cluster that exists are brought to something new. */
  upgrade: z.object({
    /** How many may be away at a time, those counted that cannot be reached: a number, or a share of all. */
    maxUnavailable: z.object({ worker: z.string(), controlplane: z.string() }),
    drain: z.boolean(),
  }),
});

export type UpRequest = z.output<typeof upRequest>;

/** `rke remove`. */
export const removeRequest = tunnels;

/** `rke etcd snapshot-save` and `snapshot-restore`. */
export const snapshotRequest = tunnels.extend({ name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/) });

export type SnapshotRequest = z.output<typeof snapshotRequest>;

export const challengeResponse = z.object({ challenge: z.string() });

/**
 * One line of the answer to a run. The stream ends with `finished` or `failed`;
 * a stream that ends otherwise was cut off, and the run with it.
 */
export const runEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('log'), level: z.enum(['info', 'warning']), message: z.string() }),
  /** The local kubeconfig can be written. */
  z.object({ event: z.literal('certificatesDeployed') }),
  /** The state file may say that the hosts are the cluster now, but for those that could not be reached, by address. */
  z.object({ event: z.literal('controlPlaneDeployed'), leftOut: z.array(z.string()) }),
  z.object({ event: z.literal('finished') }),
  z.object({ event: z.literal('failed'), message: z.string() }),
]);

export type RunEvent = z.output<typeof runEvent>;
