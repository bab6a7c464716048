import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { render, screen } from '@testing-library/react';
import { PlayedApi } from '../testing/played-api.js';
import { user } from '../pages/cluster/testing/user.js';
import { pageRoute } from './page-routes.js';
import { PageError } from './PageError.js';

const LONG_MS = 10_000;
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
    expect(await screen.findByText('The page', {}, { timeout: LONG_MS })).toBeVisible();
  });
});
