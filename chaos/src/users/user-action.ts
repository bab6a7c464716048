/** Something a user asks for. */
export type UserAction =
  | { readonly user: 'create'; readonly cluster: string; readonly spec: ClusterSpec }
  | { readonly user: 'change'; readonly cluster: string; readonly spec: Partial<ClusterSpec> }
  | { readonly user: 'delete'; readonly cluster: string }
  /** Deletes, and asks for the same name until it is free. */
  | { readonly user: 'recreate'; readonly cluster: string; readonly spec: ClusterSpec }
  /** Looks at what a change leads to, and has exactly that carried out. */
  | { readonly user: 'plan'; readonly cluster: string; readonly plan: string; readonly spec: Partial<ClusterSpec> }
  /** Deletes, and gives up what is in the way. */
  | { readonly user: 'force'; readonly cluster: string }
  /** Puts a Terraform state in place that is so many versions old. */
  | { readonly user: 'restore'; readonly cluster: string; readonly back: number }
  /** Replaces the credentials of the account that every cluster is in. */
  | { readonly user: 'credentials'; readonly accessKeyId: string };

/** What the chaos asks for of a cluster; the rest is as the kind's schema fills it in. */
export interface ClusterSpec {
  readonly accountRef: { readonly name: string };
  readonly region: string;
  readonly kubernetes: { readonly engine: 'rke'; readonly version: string };
  readonly network: { readonly availabilityZones: number };
  readonly controlPlane: { readonly replicas: number };
  readonly nodePools: readonly { readonly name: string; readonly replicas: number }[];
  readonly addOns: readonly { readonly name: string }[];
  readonly paused?: boolean;
  readonly drift?: { readonly policy: 'correct' };
}

export const ACCOUNT = 'chaos';

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
