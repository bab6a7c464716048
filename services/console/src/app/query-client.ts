import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.js';

const TRIES = 3;

/** What one-time reads share, where only what may pass is tried again, and deeds. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (tries, error) => tries < TRIES && error instanceof ApiError && error.isPassing,
    },
    // What is asked for without a network fails, and is not done unseen once there is one again.
    mutations: { networkMode: 'always' },
  },
});
