import type { PlatformStatus, PlatformSummary } from '@crate/api';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { apiJson } from '../../api/http.js';

/** Where the API tells it; the constant of @crate/api would bring its schemas along. */
const PATH = '/platform/status';
const EVERY_MS = 5_000;

/** How the platform is, asked again every few seconds, but not while nobody sees the page. Who does not run it gets a summary. */
export function usePlatformStatus(): UseQueryResult<PlatformStatus | PlatformSummary> {
  return useQuery({
    queryKey: ['platform-status'],
    queryFn: ({ signal }) => apiJson<PlatformStatus | PlatformSummary>(PATH, { signal }),
    refetchInterval: EVERY_MS,
    refetchIntervalInBackground: false,
  });
}
