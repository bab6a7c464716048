import { queryOptions } from '@tanstack/react-query';
import { currentSession, type Session } from '../api/session.js';
import { forgetLiveLists } from '../api/use-live.js';
import { queryClient } from './query-client.js';

/** Key of the query that holds who is signed in, and with which the keys of others begin that lead to it. */
export const SESSION_QUERY = ['session'] as const;

/** Who is signed in; null for nobody. */
export const SESSION = queryOptions<Session | null>({
  queryKey: SESSION_QUERY,
  queryFn: async () => forgetOthers(await currentSession()),
});

/** Takes over the session of somebody who has just signed in. */
export function takeSession(session: Session): void {
  queryClient.setQueryData(SESSION_QUERY, forgetOthers(session));
}

/** The next person may see less: nothing stays of what another one saw, who may have been replaced in another tab. */
function forgetOthers(session: Session | null): Session | null {
  const before = queryClient.getQueryData<Session | null>(SESSION_QUERY);
  if (!before || before.user === session?.user) return session;
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_QUERY[0] });
  queryClient.getMutationCache().clear();
  forgetLiveLists();
  return session;
}
