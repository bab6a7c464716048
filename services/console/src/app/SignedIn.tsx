import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { useEffect, type ReactElement } from 'react';
import { onReplaced, onSignedOut } from '../api/http.js';
import { onOtherTab } from '../api/session.js';
import { forgetLiveLists } from '../api/use-live.js';
import { LoadingState } from '../components/LoadingState.js';
import { queryClient } from './query-client.js';
import { SessionProvider } from './session-context.js';
import { SESSION, SESSION_QUERY } from './session-query.js';
import { Shell } from './Shell.js';

const RENEW_MS = 60_000;

/** The frame around every page of somebody who is signed in; without a session it leads to signing in, and back. */
export function SignedIn(): ReactElement {
  const { data: session } = useQuery({ ...SESSION, refetchInterval: RENEW_MS });
  const router = useRouter();
  useEffect(
    () =>
      onSignedOut(() => {
        // The next person may see less: nothing of what this one saw stays.
        queryClient.clear();
        queryClient.setQueryData(SESSION_QUERY, null);
        forgetLiveLists();
        const { pathname, href } = router.latestLocation;
        // Another request said so before, and the way there has begun.
        if (pathname !== '/sign-in') void router.navigate({ to: '/sign-in', search: { to: href } });
      }),
    [router],
  );
  useEffect(() => {
    // Whoever it is now: only the session itself is asked for, and not what was signed in with.
    const look = (): void => void queryClient.invalidateQueries({ queryKey: SESSION_QUERY, exact: true });
    const stops = [onOtherTab(look), onReplaced(look)];
    return () => stops.forEach((stop) => stop());
  }, []);
  if (!session) return <LoadingState />;
  return (
    // What one person has open or typed is not for the next.
    <SessionProvider key={session.user} value={session}>
      <Shell>
        <Outlet />
      </Shell>
    </SessionProvider>
  );
}
