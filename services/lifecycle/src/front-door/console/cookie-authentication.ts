import type { Authenticate } from '@crate/resource-server';
import type { ConsoleSessions } from './console-sessions.js';

/**
 * Takes the session of a browser for a request that shows no credentials of its own. From there on it is a request with that token,
 * like any other: same user, same rights, same limits.
 */
export function withSessions(authenticate: Authenticate, sessions: ConsoleSessions): Authenticate {
  return async (request, response) => {
    if (request.headers.authorization === undefined) {
      const session = await sessions.find(request, response);
      if (session) request.headers.authorization = `Bearer ${session.token}`;
    }
    return authenticate(request, response);
  };
}
