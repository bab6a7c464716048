import { createRoute, type AnyRoute } from '@tanstack/react-router';
import { FleetPage } from './FleetPage.js';

/** The page at `/`, where most visits begin: its code is there with the console's own, and not a round of requests later. */
export function fleetRoutes(parent: () => AnyRoute): AnyRoute[] {
  return [createRoute({ getParentRoute: parent, path: '/', component: FleetPage })];
}
