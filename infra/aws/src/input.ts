/** What a machine does in the cluster. */
export type MachineRole = 'control-plane' | 'worker';

/** Machines of one kind; index 0 to `replicas - 1` exist. */
export interface MachineGroup {
  readonly name: string;
  readonly role: MachineRole;
  readonly replicas: number;
  readonly machineType: string;
  readonly diskGiB: number;
}

/** A port of the cluster's load balancer that leads to a port of all worker machines. */
export interface LoadBalancerPort {
  readonly port: number;
  /** Where a Service of type NodePort listens. */
  readonly nodePort: number;
}

/** Everything the stack of one self-managed cluster depends on; equal input gives an equal document. */
export interface AwsClusterInput {
  readonly infrastructureUid: string;
  /** Which installation of Crate made it: several may share an account. */
  readonly installationId: string;
  readonly clusterUid: string;
  readonly clusterName: string;
  /** Namespace of the cluster, which is its Project. */
  readonly namespace: string;
  /** 12 digits; the stack refuses to run with credentials of another account. */
  readonly accountId: string;
  readonly region: string;
  readonly network: {
    readonly vpcCidr: string;
    readonly availabilityZones: number;
    /** Besides that of the API server; each `port` once. Absent: none. */
    readonly loadBalancerPorts?: readonly LoadBalancerPort[] | undefined;
  };
  readonly machineGroups: readonly MachineGroup[];
  /** OpenSSH public key that machines and the bastion accept. */
  readonly sshPublicKey: string;
  /** Who may reach SSH on the bastion and all ports of the load balancer, as CIDR blocks. */
  readonly managementCidrs: readonly string[];
  /** ARN of the permissions boundary of the machines' roles; absent: they have none. */
  readonly permissionsBoundary?: string;
  /** Whether pods on its workers may tell AWS Marketplace what is used; absent: nobody on it may. */
  readonly isMetered?: true;
}
