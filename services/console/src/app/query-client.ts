import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.js';

const TRIES = 3;

/** What one-time reads share: only what may pass is tried again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (tries, error) => tries < TRIES && error instanceof ApiError && error.isPassing,
    },
  },
});
