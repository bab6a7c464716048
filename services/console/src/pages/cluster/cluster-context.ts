import type { Cluster } from '@crate/api';
import { createContext, useContext } from 'react';

const ClusterContext = createContext<Cluster | null>(null);

export const ClusterProvider = ClusterContext.Provider;

/** The cluster as it is now. Throws outside of its page. */
export function useCluster(): Cluster {
  const cluster = useContext(ClusterContext);
  if (!cluster) throw new Error('There is no cluster here');
  return cluster;
}
