import { useQueryClient } from '@tanstack/react-query';
import { useRouter, type AnyRoute, type AnyRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useCallback, useEffect, type ReactElement } from 'react';
import { ApiError } from '../api/api-error.js';
import { ErrorState } from '../components/ErrorState.js';
import { SESSION } from './session-query.js';
import { useRetryOnceBack } from './use-retry-once-back.js';

const RETRY_MS = 10_000;
/** The least between two tries, whatever the platform says. */
const SHORTEST_MS = 1000;

/** In place of a page that cannot be drawn. Tries again when asked to, when the platform is back, and while the cause may pass. */
export function PageError({ error, reset }: ErrorComponentProps): ReactElement {
  const router = useRouter();
  const retry = useCallback(() => void askAnew(router).then(reset), [router, reset]);
  useRetryOnceBack(retry);
  useRetryWhilePassing(error, retry);
  return <ErrorState error={error instanceof Error ? error : new Error(String(error))} onRetry={retry} />;
}

/**
 * A platform that answers, and refuses for a while, never goes out of reach: nothing says when it does so no more. Who is
 * signed in is asked for behind what is said, which stays as it is until there is an answer.
 */
function useRetryWhilePassing(error: unknown, retry: () => void): void {
  const queries = useQueryClient();
  const everyMs =
    error instanceof ApiError && error.isPassing ? Math.max(SHORTEST_MS, error.retryAfterMs ?? RETRY_MS) : undefined;
  useEffect(() => {
    if (everyMs === undefined) return;
    const tryOnce = (): void => {
      if (queries.isFetching(SESSION) > 0) return;
      queries.fetchQuery({ ...SESSION, staleTime: 0, retry: false }).then(retry, stayAsItIs);
    };
    const timer = setInterval(tryOnce, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, retry, queries]);
}

/** It refuses still. */
function stayAsItIs(): void {}

/** What was asked for in vain, such as its code or who is signed in, is not asked for again by drawing the page. Never rejects. */
async function askAnew(router: AnyRouter): Promise<void> {
  const routes: Readonly<Record<string, AnyRoute | undefined>> = router.routesById;
  const matches: readonly { readonly routeId: string }[] = router.state.matches;
  for (const { routeId } of matches) await routes[routeId]?.options.component?.preload?.();
  await router.invalidate();
}
