import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.js';

const TRIES = 3;

/**
 * What one-time reads share, where only what may pass is tried again, and deeds. Both are asked for also where the browser says that there
 * is no network: the platform may be on this very machine, and a deed is not to be done unseen once there is one again.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (tries, error) => tries < TRIES && error instanceof ApiError && error.isPassing,
    },
    mutations: { networkMode: 'always' },
  },
});
