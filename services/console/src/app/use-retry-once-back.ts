import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { LIVE_QUERY } from './live-query.js';

/** Calls `retry` when the platform is back that was out of reach. */
export function useRetryOnceBack(retry: () => void): void {
  const { isError } = useQuery(LIVE_QUERY);
  const wasOut = useRef(false);
  useEffect(() => {
    if (!isError && wasOut.current) retry();
    wasOut.current = isError;
  }, [isError, retry]);
}
