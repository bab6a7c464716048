import { QueryClientProvider, QueryClient } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  Outlet,
  RouterProvider,
  type AnyRoute,
} from '@tanstack/react-router';
import { render, type RenderResult } from '@testing-library/react';
import type { Session } from '../api/session.js';
import { SessionProvider } from '../app/session-context.js';

/** Somebody who may do everything. */
export const AN_ADMIN: Session = {
  user: 'ada',
  groups: ['platform-admins'],
  platformAdmin: true,
  expiresAt: null,
  method: 'token',
};

/** Renders an area's routes as the page does, at `path`, for a person who is signed in. */
export function renderPage(
  routes: (parent: () => AnyRoute) => AnyRoute[],
  path: string,
  session: Session = AN_ADMIN,
): RenderResult {
  const root = createRootRoute({
    component: () => (
      <SessionProvider value={session}>
        <Outlet />
      </SessionProvider>
    ),
  });
  const routeTree = root.addChildren(routes(() => root as unknown as AnyRoute));
  const router = createRouter({
    basepath: '/console',
    routeTree,
    history: createMemoryHistory({ initialEntries: [`/console${path}`] }),
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}
