/** Stable reason of what is refused because others made the cluster, and keep it. */
export const MANAGED_OUTSIDE = 'ManagedOutside';
