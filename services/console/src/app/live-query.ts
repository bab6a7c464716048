import { queryOptions } from '@tanstack/react-query';
import { apiText } from '../api/http.js';

const LOOK_MS = 10_000;
/** A network that falls silent says nothing, and while one look waits there is no other. */
const LONGEST_LOOK_MS = 10_000;
/** Between two looks while there is no answer. */
const LOOK_AGAIN_MS = 2_000;

/** Whether the platform answers at all, asked for as long as somebody looks. */
export const LIVE_QUERY = queryOptions({
  queryKey: ['livez'],
  queryFn: ({ signal }) =>
    apiText('/livez', { signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_LOOK_MS)]) }),
  refetchInterval: ({ state }) => (state.status === 'error' ? LOOK_AGAIN_MS : LOOK_MS),
  refetchOnReconnect: 'always',
  retry: false,
});
