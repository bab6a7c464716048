/** API groups, one per service; the first label is the service's business, not its deployment name. */
export const LIFECYCLE_GROUP = 'lifecycle.crate.dev';
export const CLOUD_GROUP = 'cloud.crate.dev';
export const CLUSTER_GROUP = 'cluster.crate.dev';
export const POLICY_GROUP = 'policy.crate.dev';

/** The one version served so far. */
export const V1ALPHA1 = 'v1alpha1';

/** Label that carries the owning Cluster's name on every child resource. */
export const CLUSTER_NAME_LABEL = 'lifecycle.crate.dev/cluster';
/** Label that carries the owning Cluster's uid on every child resource. */
export const CLUSTER_UID_LABEL = 'lifecycle.crate.dev/cluster-uid';
/** Labels that carry, on every child resource, which engine makes the cluster, and at which cloud: rules match by them at every stage. */
export const CLUSTER_ENGINE_LABEL = 'lifecycle.crate.dev/engine';
export const CLUSTER_PROVIDER_LABEL = 'lifecycle.crate.dev/provider';
