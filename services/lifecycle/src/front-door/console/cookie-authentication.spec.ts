import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from '@jest/globals';
import { withSessions } from './cookie-authentication.js';
import type { ConsoleSessions } from './console-sessions.js';

/** Asks with the session of `user`, as a page does that says `headers`. */
async function ask(user: string, headers: IncomingMessage['headers']): Promise<string> {
  const sessions = { find: () => Promise.resolve({ method: 'token', token: `of ${user}`, endsAt: Infinity }) };
  const authenticate = withSessions(
    ({ headers: { authorization = '' } }) =>
      Promise.resolve({ user: authorization.replace(/^Bearer (of )?/, ''), groups: [] }),
    sessions as unknown as ConsoleSessions,
  );
  return (await authenticate({ headers: { ...headers } } as IncomingMessage, {} as ServerResponse)).user;
}

it.each(['ada', 'José Ñandú@example.com', 'a%20b'])(
  'takes a request of the page that was made for %s',
  async (user) => {
    expect(await ask(user, { 'x-crate-console-user': encodeURIComponent(user) })).toBe(user);
  },
);

it('takes a request that says nobody, as of a program or a link', async () => {
  expect(await ask('ada', {})).toBe('ada');
});

it('refuses what a page asks for one person and the browser is signed in as another: nobody acts with rights they do not see', async () => {
  await expect(ask('admin', { 'x-crate-console-user': 'ada' })).rejects.toMatchObject({
    code: 'Conflict',
    details: { reason: 'PageOfAnother' },
  });
});

it('leaves credentials that are shown to themselves', async () => {
  expect(await ask('admin', { authorization: 'Bearer vera', 'x-crate-console-user': 'ada' })).toBe('vera');
});
