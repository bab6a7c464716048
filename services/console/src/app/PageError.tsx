import { useRouter, type AnyRoute, type AnyRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useCallback, type ReactElement } from 'react';
import { ErrorState } from '../components/ErrorState.js';
import { useRetryOnceBack } from './use-retry-once-back.js';

/** In place of a page that cannot be drawn. Tries again when asked to, and when the platform is back. */
export function PageError({ error, reset }: ErrorComponentProps): ReactElement {
  const router = useRouter();
  const retry = useCallback(() => void codeOfPage(router).then(reset), [router, reset]);
  useRetryOnceBack(retry);
  return <ErrorState error={error instanceof Error ? error : new Error(String(error))} onRetry={retry} />;
}

/** What was asked for in vain is not asked for again by drawing the page. Never rejects. */
async function codeOfPage(router: AnyRouter): Promise<void> {
  const routes: Readonly<Record<string, AnyRoute | undefined>> = router.routesById;
  const matches: readonly { readonly routeId: string }[] = router.state.matches;
  for (const { routeId } of matches) await routes[routeId]?.options.component?.preload?.();
}
