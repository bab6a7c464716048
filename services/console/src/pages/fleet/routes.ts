import type { AnyRoute } from '@tanstack/react-router';
import { pageRoute } from '../../app/page-routes.js';

/** The pages below `/`; their code comes when they are first opened. */
export function fleetRoutes(parent: () => AnyRoute): AnyRoute[] {
  return [pageRoute(parent, '/', 'FleetPage', () => import('./FleetPage.js'))];
}
