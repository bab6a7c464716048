/**
 * API groups are one per service; the first label is the service's business, not its deployment name. This one is that of lifecycle: what
 * people ask for.
 */
export const LIFECYCLE_GROUP = 'lifecycle.crate.dev';
/** Of cloud-mgmt: what there is at a cloud provider, and the state that knows of it. */
export const CLOUD_GROUP = 'cloud.crate.dev';
/** Of cluster-mgmt: Kubernetes on machines that exist, and what is installed in it. */
export const CLUSTER_GROUP = 'cluster.crate.dev';
/** Of policy-mgmt: rules and waivers. Reports are in `wgpolicyk8s.io`, where their viewers look. */
export const POLICY_GROUP = 'policy.crate.dev';

/** The one version served so far. */
export const V1ALPHA1 = 'v1alpha1';

/** Label that carries the owning Cluster's name on every child resource. */
export const CLUSTER_NAME_LABEL = 'lifecycle.crate.dev/cluster';
/** Label that carries the owning Cluster's uid on every child resource. */
export const CLUSTER_UID_LABEL = 'lifecycle.crate.dev/cluster-uid';
/** Label that carries, on every child resource, which engine makes the cluster: rules match by it at every stage. */
export const CLUSTER_ENGINE_LABEL = 'lifecycle.crate.dev/engine';
/** Label that carries, likewise, which cloud the cluster is in, such as `aws`; absent of a cluster without an account. */
export const CLUSTER_PROVIDER_LABEL = 'lifecycle.crate.dev/provider';
