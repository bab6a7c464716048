import type { PlatformSummary } from '@crate/api';
import { useQuery } from '@tanstack/react-query';
import { apiJson } from './http.js';

/**
 * Whether the platform looks after the cluster that it runs in and makes none, which an installation is or is not for
 * good. False until that is known, and where nobody says: the API refuses what cannot be done anyway.
 */
export function useInCluster(): boolean {
  const { data } = useQuery({
    queryKey: ['in-cluster'],
    queryFn: async ({ signal }) => (await apiJson<PlatformSummary>('/platform/status', { signal })).inCluster === true,
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return data ?? false;
}
