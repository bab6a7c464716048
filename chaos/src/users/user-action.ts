/** Something a user asks for. */
export type UserAction =
  | { readonly user: 'create'; readonly cluster: string; readonly spec: AnySpec }
  | { readonly user: 'change'; readonly cluster: string; readonly spec: Partial<ClusterSpec> }
  | { readonly user: 'delete'; readonly cluster: string }
  /** Deletes, and asks for the same name until it is free. */
  | { readonly user: 'recreate'; readonly cluster: string; readonly spec: AnySpec }
  /** Looks at what a change leads to, and has exactly that carried out. */
  | { readonly user: 'plan'; readonly cluster: string; readonly plan: string; readonly wish: PlanWish }
  /** Puts a workload with a load balancer and a volume into a cluster, once that is there. */
  | { readonly user: 'expose'; readonly cluster: string }
  /** Deletes, and gives up what is in the way. */
  | { readonly user: 'force'; readonly cluster: string }
  /** Puts a Terraform state in place that is so many versions old. */
  | { readonly user: 'restore'; readonly cluster: string; readonly back: number }
  /** Replaces the credentials of the account that every cluster is in. */
  | { readonly user: 'credentials'; readonly accessKeyId: string }
  /** The platform team publishes the class, or changes it. */
  | { readonly user: 'publish'; readonly content: ClassContent }
  /** The platform team stops the rollout of its class, or lets it go on. */
  | { readonly user: 'hold-rollout'; readonly paused: boolean }
  /** Gives every service a new key to encrypt with. */
  | { readonly user: 'rotate-keys' }
  /** Moves a cluster to the newest revision of its class. */
  | { readonly user: 'move'; readonly cluster: string };

/** What a plan is made for: another spec, a cluster whether there is one or not, or none. */
export type PlanWish =
  { readonly changes: Partial<ClusterSpec> } | { readonly wanted: AnySpec } | { readonly destroy: true };

/** What is done about what others change in the cloud. */
export const DRIFT_POLICIES = ['observe', 'correct', 'hold'] as const;

/** How much a cluster lets happen to itself. */
export interface Guards {
  readonly drift: { readonly policy: (typeof DRIFT_POLICIES)[number]; readonly everyMinutes: number };
  /** Null takes the ceiling away. */
  readonly maxImpact?: 'none' | 'restart' | 'roll' | null;
}

/** What the chaos asks for of a cluster; the rest is as the kind's schema fills it in. */
export interface ClusterSpec extends Partial<Guards> {
  readonly accountRef: { readonly name: string };
  readonly region: string;
  readonly kubernetes: { readonly engine: 'rke'; readonly version: string };
  readonly network: { readonly availabilityZones: number };
  readonly controlPlane: { readonly replicas: number };
  readonly nodePools: readonly { readonly name: string; readonly replicas: number; readonly machineType?: string }[];
  readonly addOns: readonly { readonly name: string }[];
  readonly paused?: boolean;
}

/** A cluster that leaves to its class what that says. */
export interface ClassedSpec extends Guards {
  readonly accountRef: { readonly name: string };
  readonly region: string;
  readonly classRef: { readonly name: string };
  readonly parameters: { readonly workers?: number };
}

export type AnySpec = ClusterSpec | ClassedSpec;

/** What the platform team's class says. */
export interface ClassContent {
  readonly template: {
    readonly kubernetes: ClusterSpec['kubernetes'];
    readonly network: ClusterSpec['network'];
    readonly controlPlane: ClusterSpec['controlPlane'];
    readonly nodePools: readonly [
      { readonly name: string; readonly replicas: string; readonly labels: Readonly<Record<string, string>> },
    ];
    readonly addOns: ClusterSpec['addOns'];
  };
  readonly locked: readonly string[];
  readonly rollout: {
    readonly strategy: 'Manual' | 'Automatic';
    readonly maxConcurrent: number;
    readonly maxFailures: number;
  };
}

export const ACCOUNT = 'chaos';
export const CHAOS_CLASS = 'chaos';
/** Label of nodes by which the content of a class is known; nobody but the class states it. */
export const CLASS_MARK = 'chaos/mark';

/** The smallest cluster that has everything: one of each kind of machine. */
export const SMALL_CLUSTER: ClusterSpec = {
  accountRef: { name: ACCOUNT },
  region: 'us-east-1',
  kubernetes: { engine: 'rke', version: 'v1.31.4' },
  network: { availabilityZones: 1 },
  controlPlane: { replicas: 1 },
  nodePools: [{ name: 'workers', replicas: 1 }],
  addOns: [{ name: 'docs' }],
};
