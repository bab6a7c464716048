import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { render, screen } from '@testing-library/react';
import { ApiError } from '../api/api-error.js';
import { PlayedApi } from '../testing/played-api.js';
import { user } from '../pages/cluster/testing/user.js';
import { pageRoute } from './page-routes.js';
import { PageError } from './PageError.js';

const api = new PlayedApi();
let isThere: boolean;
beforeEach(() => {
  isThere = false;
  api.install();
  api.json('/livez', 'ok');
});
afterEach(() => api.remove());

const load = (): Promise<{ Page: () => string }> =>
  isThere ? Promise.resolve({ Page: () => 'The page' }) : Promise.reject(new Error('Unable to preload CSS'));

function show(): void {
  const root = createRootRoute();
  const router = createRouter({
    routeTree: root.addChildren([pageRoute(() => root, '/', 'Page', load)]),
    history: createMemoryHistory(),
    defaultErrorComponent: PageError,
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
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
  const router = createRouter({
    routeTree: root.addChildren([guard.addChildren([page])]),
    history: createMemoryHistory(),
    defaultErrorComponent: PageError,
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
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
