/** A load balancer that a Service asks for. */
export interface WantedLoadBalancer {
  readonly uid: string;
  readonly namespace: string;
  readonly service: string;
  readonly ports: readonly { readonly port: number; readonly nodePort: number; readonly protocol: string }[];
}

/** A volume that a claim asks for. */
export interface WantedVolume {
  /** Name of the PersistentVolume. */
  readonly name: string;
  readonly namespace: string;
  readonly claim: string;
  readonly sizeGiB: number;
}

/**
 * The cloud as the cloud controllers of a simulated cluster use it; nobody asks here for the rights that they need in AWS. All calls
 * are idempotent, take as long as the cloud takes, and throw what the cloud refuses.
 */
export interface ClusterCloud {
  /** Where it can be reached; undefined when the machine does not say by a tag which cluster it belongs to. */
  ensureLoadBalancer(machineId: string, wanted: WantedLoadBalancer): Promise<string | undefined>;
  /** Resolves once it is gone with what belongs to it. */
  removeLoadBalancer(machineId: string, uid: string): Promise<void>;
  /** Id of the volume; undefined as for load balancers. */
  ensureVolume(machineId: string, wanted: WantedVolume): Promise<string | undefined>;
  /** Resolves once it is gone. */
  removeVolume(machineId: string, volumeId: string): Promise<void>;
}
