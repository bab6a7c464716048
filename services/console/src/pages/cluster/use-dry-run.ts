import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { writeCluster, type ClusterChange, type WriteOutcome } from './dry-run.js';
import { useClusterKey } from './use-cluster-key.js';

/** What a change would lead to, worked out by the server without doing it, once it is wanted; who asks for the same shares the answer. */
export function useDryRun(change: ClusterChange, isWanted = true): UseQueryResult<WriteOutcome> {
  const key = useClusterKey();
  return useQuery({
    queryKey: ['dry-run', key, change],
    queryFn: ({ signal }) => writeCluster(key, change, { isDry: true, signal }),
    placeholderData: keepPreviousData,
    enabled: isWanted,
    retry: false,
  });
}
