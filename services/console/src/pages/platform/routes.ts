import type { AnyRoute } from '@tanstack/react-router';
import { pageRoute } from '../../app/page-routes.js';

/** The pages below `/platform`; their code comes when they are first opened. */
export function platformRoutes(parent: () => AnyRoute): AnyRoute[] {
  return [pageRoute(parent, '/platform', 'PlatformPage', () => import('./PlatformPage.js'))];
}
