import type { NotificationChannel, NotificationDeliveries, NotificationDelivery, NotificationState } from '@crate/api';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { apiJson } from '../../api/http.js';
import { KINDS, objectPath } from '../../api/paths.js';
import { useLastKnown } from '../../components/use-last-known.js';

const EVERY_MS = 5_000;

/** Names of what became of messages; the constant of @crate/api would bring its schemas along. */
export const STATES: readonly NotificationState[] = ['Pending', 'Failed', 'Dropped', 'Delivered'];

/** What is known of what was sent. */
export interface KnownDeliveries {
  /** Undefined until the first answer. */
  readonly deliveries: readonly NotificationDelivery[] | undefined;
  /** Whether they are those of another outcome, until these are there. */
  readonly isPlaceholderData: boolean;
  readonly error: Error | null;
  readonly refetch: () => void;
}

/** The log of a channel: asked again when the channel says that something changed, and every few seconds while somebody sees it. */
export function useDeliveries(
  { metadata: { name, namespace, resourceVersion } }: NotificationChannel,
  { state, limit }: { readonly state: string | undefined; readonly limit: number },
): KnownDeliveries {
  const query = new URLSearchParams({ limit: String(limit), ...(state === undefined ? {} : { state }) });
  const { data, error, isPlaceholderData, refetch } = useQuery({
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
  const known = useLastKnown(isPlaceholderData ? undefined : data, `${namespace}/${name} ${query.toString()}`);
  return { deliveries: (known ?? data)?.items, error, isPlaceholderData, refetch: () => void refetch() };
}
