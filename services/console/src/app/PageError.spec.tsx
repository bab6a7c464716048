import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
  type AnyRoute,
} from '@tanstack/react-router';
import { render, screen, waitFor } from '@testing-library/react';
import { ApiError } from '../api/api-error.js';
import { PlayedApi } from '../testing/played-api.js';
import { AN_ADMIN } from '../testing/render-page.js';
import { user } from '../pages/cluster/testing/user.js';
import { pageRoute } from './page-routes.js';
import { PageError } from './PageError.js';
import { SESSION } from './session-query.js';

const api = new PlayedApi();
const SESSION_PATH = '/console/session';
let isThere: boolean;
beforeEach(() => {
  isThere = false;
  api.install();
  api.json('/livez', 'ok');
  api.json(SESSION_PATH, AN_ADMIN);
});
afterEach(() => api.remove());

const load = (): Promise<{ Page: () => string }> =>
  isThere ? Promise.resolve({ Page: () => 'The page' }) : Promise.reject(new Error('Unable to preload CSS'));

function showRoutes(routeTree: AnyRoute, client = new QueryClient()): void {
  const router = createRouter({ routeTree, history: createMemoryHistory(), defaultErrorComponent: PageError });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}

function show(): void {
  const root = createRootRoute();
  showRoutes(root.addChildren([pageRoute(() => root, '/', 'Page', load)]));
}

/** A page that asks for something before it is drawn, which is refused until it is there. */
function showGuarded(refusal: ApiError): void {
  const root = createRootRoute();
  const guard = createRoute({
    getParentRoute: () => root,
    id: 'guard',
    component: Outlet,
    beforeLoad: () => {
      if (!isThere) throw refusal;
    },
  });
  const page = createRoute({ getParentRoute: () => guard, path: '/', component: () => 'The page' });
  showRoutes(root.addChildren([guard.addChildren([page])]));
}

/** Nobody can be told who is signed in; it is to be asked for again at once. */
function refuseSession(): void {
  const refusal = { kind: 'Status', reason: 'Unavailable', message: 'Not yet', details: { retryAfterSeconds: 0 } };
  api.json(SESSION_PATH, refusal, { status: 503 });
}

/** How often it was asked for who is signed in. */
function asked(): number {
  return api.calls.filter(({ call }) => call === `GET ${SESSION_PATH}`).length;
}

/** A page for somebody who is signed in. */
function showSignedIn(): void {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const root = createRootRoute();
  const guard = createRoute({
    getParentRoute: () => root,
    id: 'guard',
    component: Outlet,
    beforeLoad: async () => ({ session: await client.ensureQueryData(SESSION) }),
  });
  const page = createRoute({ getParentRoute: () => guard, path: '/', component: () => 'The page' });
  showRoutes(root.addChildren([guard.addChildren([page])]), client);
}

describe('a page that could not be asked for', () => {
  it('is there once somebody tries again', async () => {
    showGuarded(new ApiError(500, 'InternalError', 'It broke'));
    const again = await screen.findByRole('button', { name: 'Try again' });
    isThere = true;
    await user.click(again);
    expect(await screen.findByText('The page')).toBeVisible();
  });

  it('is there by itself once what was to pass has passed', async () => {
    showGuarded(new ApiError(503, 'Unavailable', 'Not yet', { retryAfterMs: 200 }));
    expect(await screen.findByText('Not yet')).toBeVisible();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await screen.findByText('Not yet')).toBeVisible();
    isThere = true;
    expect(await screen.findByText('The page')).toBeVisible();
  });
});

describe('a page that is tried again by itself in vain', () => {
  it('says so all the time, and not anew, with the focus where it was', async () => {
    refuseSession();
    showSignedIn();
    const again = await screen.findByRole('button', { name: 'Try again' });
    const said = screen.getByRole('alert');
    again.focus();
    await waitFor(() => expect(asked()).toBeGreaterThanOrEqual(3));
    expect(screen.getByRole('alert')).toBe(said);
    expect(again).toHaveFocus();
    api.json(SESSION_PATH, AN_ADMIN);
    expect(await screen.findByText('The page')).toBeVisible();
  });

  it('is not asked for more than once a second, whatever the platform says', async () => {
    refuseSession();
    showSignedIn();
    await screen.findByText('Not yet');
    const before = asked();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(asked() - before).toBeLessThanOrEqual(2);
  });
});

describe('a page whose code cannot be had', () => {
  it('is there once somebody tries again', async () => {
    show();
    const again = await screen.findByRole('button', { name: 'Try again' });
    isThere = true;
    await user.click(again);
    expect(await screen.findByText('The page')).toBeVisible();
  });

  it('says that the platform is out of reach, and is there by itself once it is back', async () => {
    api.fail('/livez');
    show();
    expect(await screen.findByRole('heading', { name: 'The platform cannot be reached' })).toBeVisible();
    expect(screen.queryByText(/preload|fetch/)).toBeNull();
    isThere = true;
    api.json('/livez', 'ok');
    expect(await screen.findByText('The page')).toBeVisible();
  });
});
