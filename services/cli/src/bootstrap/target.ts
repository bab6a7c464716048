import type { LoadBalancerPort } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';

/** Where the API of the platform in the cluster can be reached from here. */
export interface ApiPlace {
  readonly host: string;
  readonly port: number;
}

/** Credentials of the cloud, as they go into the CloudAccount; never kept by the bootstrap. */
export interface CloudCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What differs between the clouds that a platform can be set up in. */
export abstract class BootstrapTarget {
  /** Of the CloudAccount. */
  abstract readonly provider: 'aws' | 'sandbox-aws';
  /** Absent: the account needs none. */
  abstract readonly credentials: CloudCredentials | undefined;
  /** Settings of all services of the singleton. */
  abstract readonly serviceSettings: Readonly<Record<string, string>>;
  /** Further arguments of `crate up` for the singleton. */
  abstract readonly upArguments: readonly string[];
  /** Ports that the load balancer of the platform cluster has besides that of the cluster's API. */
  abstract readonly loadBalancerPorts: readonly LoadBalancerPort[];
  /** Values of the chart. `egressAddresses` are those that the platform cluster comes from, seen from outside of its network. */
  abstract chartValues(egressAddresses: readonly string[]): Readonly<Record<string, unknown>>;
  /** Objects that the cluster lacks for the servers that the platform brings along. */
  abstract readonly objects: readonly object[];
  /** What volumes are made by, unless somebody says otherwise; absent: the cluster's default. */
  abstract readonly storageClass: string | undefined;
  /** Looks only, and throws what is missing before anything is made. */
  abstract check(): Promise<void>;
  /** Names that the API will have outside of its cluster, as far as they are known before it is there. `clusterHost` is where the API of the cluster is. */
  abstract apiNames(clusterHost: string): readonly string[];
  /** Undefined as long as there is none. `clusterHost` is where the API of the cluster is. */
  abstract findApi(cluster: TargetCluster, clusterHost: string): Promise<ApiPlace | undefined>;
}
