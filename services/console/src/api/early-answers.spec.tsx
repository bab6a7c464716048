import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { aPage, aRow } from '../pages/fleet/fleet-fixtures.js';
import { fleetRoutes } from '../pages/fleet/routes.js';
import { forgetFleet } from '../pages/fleet/use-fleet.js';
import { PlayedApi } from '../testing/played-api.js';
import { renderPage } from '../testing/render-page.js';
import { takeEarlyAnswer } from './early-answers.js';
import { currentSession, signOut } from './session.js';

const START: string = '../../public/start.js';
const FLEET = '/fleet/clusters';
const SESSION = { user: 'ada', groups: [], platformAdmin: true, expiresAt: null, method: 'token' };
const api = new PlayedApi();

/** Runs the script of the page as a browser does that is at `address`; gives what is asked from then on. */
async function start(address: string): Promise<readonly string[]> {
  const asked: string[] = [];
  const play = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    asked.push(input instanceof Request ? input.url : String(input));
    return play(input, init);
  };
  history.replaceState(null, '', address);
  jest.resetModules();
  await import(START);
  return asked;
}

function times(asked: readonly string[], part: string): number {
  return asked.filter((path) => path.includes(part)).length;
}

describe('what is asked before the code of the page is there', () => {
  beforeEach(() => {
    api.install();
    forgetFleet();
    // jsdom lays nothing out; rows are drawn for what is in view.
    jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
    jest.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(60);
    api.json('/console/session', SESSION);
    api.json(FLEET, aPage([aRow('shop')]));
  });
  afterEach(() => {
    cleanup();
    api.remove();
    jest.restoreAllMocks();
    globalThis.crateEarlyAnswers = undefined;
    history.replaceState(null, '', '/');
  });

  it('is not asked again by the session and the fleet that need it', async () => {
    const asked = await start('/console/');
    expect(await currentSession()).toMatchObject({ user: 'ada' });
    renderPage(fleetRoutes, '/');
    const watch = await api.watchOf(FLEET);
    await act(async () => watch.send({ type: 'PAGE', page: aPage([aRow('shop')]) }));
    expect(await screen.findByRole('link', { name: 'shop' })).toBeVisible();
    expect([times(asked, 'session'), times(asked, 'watch=true')]).toEqual([1, 1]);
  });

  it('is given once: later asks are new ones', async () => {
    const asked = await start('/console/');
    await currentSession();
    await currentSession();
    expect(times(asked, 'session')).toBe(2);
  });

  it.each([
    { at: '/console/sign-in', want: [], reason: 'nobody is signed in yet' },
    { at: '/console/audit', want: ['/console/session'], reason: 'it is not the fleet that is shown' },
    { at: '/console/?q=shop', want: ['/console/session'], reason: 'the address asks for something else' },
  ])('is at $at: $want, as $reason', async ({ at, want }) => {
    expect(await start(at)).toEqual(want);
  });

  it('does not ask for the fleet while nobody is signed in', async () => {
    api.refuse('/console/session', 401, { reason: 'Unauthorized', message: 'Sign in' });
    const asked = await start('/console/');
    expect(await currentSession()).toBeNull();
    expect(asked).toEqual(['/console/session']);
  });

  it('is forgotten with the session, as the next one may be somebody else', async () => {
    api.json('/console/session', {}, { method: 'DELETE' });
    await start('/console/');
    await currentSession();
    const [fleet] = [...(globalThis.crateEarlyAnswers?.values() ?? [])];
    await signOut();
    expect([globalThis.crateEarlyAnswers?.size, fleet?.abort.signal.aborted]).toEqual([0, true]);
  });

  it('of the session is read to its end where no page takes it, and still there for one that does', async () => {
    let isRead = false;
    const body = new ReadableStream(
      {
        pull: (stream) => {
          stream.enqueue(new TextEncoder().encode(JSON.stringify(SESSION)));
          stream.close();
          isRead = true;
        },
      },
      { highWaterMark: 0 },
    );
    globalThis.fetch = () => Promise.resolve(new Response(body));
    await start('/console/nowhere');
    await waitFor(() => expect(isRead).toBe(true));
    expect(await currentSession()).toMatchObject({ user: 'ada' });
  });

  it('ends when whoever took it wants no more of it', async () => {
    await start('/console/');
    await currentSession();
    const [[path, fleet] = []] = [...(globalThis.crateEarlyAnswers?.entries() ?? [])];
    const own = new AbortController();
    void takeEarlyAnswer(path ?? '', own.signal)?.catch(() => undefined);
    own.abort();
    expect(fleet?.abort.signal.aborted).toBe(true);
  });
});
