import { createContext, useContext } from 'react';
import type { Session } from '../api/session.js';

const SessionContext = createContext<Session | null>(null);

export const SessionProvider = SessionContext.Provider;

/** Who is signed in. Throws outside of the signed-in part of the page. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('Nobody is signed in here');
  return session;
}
