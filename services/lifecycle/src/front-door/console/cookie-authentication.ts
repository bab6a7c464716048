import type { IncomingMessage } from 'node:http';
import { conflict } from '@crate/errors';
import type { Authenticate } from '@crate/resource-server';
import type { ConsoleSessions } from './console-sessions.js';

/** For whom the page asks, percent-encoded: headers are Latin-1. A page that does not know yet leaves it out. */
const USER_HEADER = 'x-crate-console-user';

/**
 * Takes the session of a browser for a request that shows no credentials of its own. From there on it is a request with that token,
 * like any other: same user, same rights, same limits. Throws Conflict where the page was made for somebody else: another person has
 * signed in beside it, and what it shows as the rights of one is not to be done with those of the other.
 */
export function withSessions(authenticate: Authenticate, sessions: ConsoleSessions): Authenticate {
  return async (request, response) => {
    if (request.headers.authorization !== undefined) return authenticate(request, response);
    const session = await sessions.find(request, response);
    if (session) request.headers.authorization = `Bearer ${session.token}`;
    const caller = await authenticate(request, response);
    requireSamePerson(request, caller.user);
    return caller;
  };
}

function requireSamePerson({ headers }: IncomingMessage, user: string): void {
  const asked = headers[USER_HEADER];
  if (asked === undefined || asked === encodeURIComponent(user)) return;
  throw conflict(`This page is of somebody else than ${user}, who is signed in now`, {
    reason: 'PageOfAnother',
    remedy: 'Load the page anew',
  });
}
