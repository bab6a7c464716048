import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type AnyRoute,
} from '@tanstack/react-router';
import { LoadingState } from '../components/LoadingState.js';
import { auditRoutes } from '../pages/audit/routes.js';
import { clusterRoutes } from '../pages/cluster/routes.js';
import { createRoutes } from '../pages/create/routes.js';
import { fleetRoutes } from '../pages/fleet/routes.js';
import { notificationRoutes } from '../pages/notifications/routes.js';
import { platformRoutes } from '../pages/platform/routes.js';
import { policyRoutes } from '../pages/policies/routes.js';
import { projectRoutes } from '../pages/projects/routes.js';
import { NotFound } from './NotFound.js';
import { PageError } from './PageError.js';
import { SignedIn } from './SignedIn.js';
import { queryClient } from './query-client.js';
import { SESSION } from './session-query.js';

const root = createRootRoute();

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../pages/sign-in/SignInPage.js'), 'SignInPage'),
});

/** Everything that needs somebody signed in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: SignedIn,
  beforeLoad: async ({ location, matches }) => {
    loadCode(matches);
    const session = await queryClient.ensureQueryData(SESSION);
    // oxlint-disable-next-line typescript/only-throw-error -- the router's way of going elsewhere
    if (!session) throw redirect({ to: '/sign-in', search: { to: location.href } });
    return { session };
  },
});

/** An address that leads nowhere: the ways on are where they always are. */
const nowhere = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFound });

/** The page's code comes while the session is asked for, and not after it. */
function loadCode(matches: readonly { readonly routeId: string }[]): void {
  const routes: Readonly<Record<string, AnyRoute | undefined>> = router.routesById;
  for (const { routeId } of matches) void routes[routeId]?.options.component?.preload?.();
}

const parent = (): typeof signedIn => signedIn;

/** The pages of the console; the URL holds their whole state. */
export const router = createRouter({
  basepath: '/console',
  routeTree: root.addChildren([
    signIn,
    signedIn.addChildren([
      ...fleetRoutes(parent),
      ...clusterRoutes(parent),
      ...createRoutes(parent),
      ...policyRoutes(parent),
      ...projectRoutes(parent),
      ...notificationRoutes(parent),
      ...auditRoutes(parent),
      ...platformRoutes(parent),
      nowhere,
    ]),
  ]),
  defaultPreload: 'intent',
  defaultPendingComponent: LoadingState,
  defaultErrorComponent: PageError,
  scrollRestoration: true,
});
