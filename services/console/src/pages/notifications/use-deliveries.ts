import type { NotificationChannel, NotificationDeliveries, NotificationState } from '@crate/api';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { apiJson } from '../../api/http.js';
import { KINDS, objectPath } from '../../api/paths.js';

const EVERY_MS = 5_000;

/** Names of what became of messages; the constant of @crate/api would bring its schemas along. */
export const STATES: readonly NotificationState[] = ['Pending', 'Failed', 'Dropped', 'Delivered'];

/** The log of a channel: asked again when the channel says that something changed, and every few seconds while somebody sees it. */
export function useDeliveries(
  { metadata: { name, namespace, resourceVersion } }: NotificationChannel,
  { state, limit }: { readonly state: string | undefined; readonly limit: number },
): UseQueryResult<NotificationDeliveries> {
  const query = new URLSearchParams({ limit: String(limit), ...(state === undefined ? {} : { state }) });
  return useQuery({
    queryKey: ['deliveries', namespace, name, query.toString(), resourceVersion],
    queryFn: ({ signal }) =>
      apiJson<NotificationDeliveries>(
        `${objectPath(KINDS.notificationChannel, name, namespace, 'deliveries')}?${query.toString()}`,
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
    refetchIntervalInBackground: false,
    gcTime: 0,
  });
}
