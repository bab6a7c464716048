import type { AnyRoute } from '@tanstack/react-router';
import { pageRoute } from '../../app/page-routes.js';

/** The pages below `/create`; their code comes when they are first opened. */
export function createRoutes(parent: () => AnyRoute): AnyRoute[] {
  return [pageRoute(parent, '/create', 'CreatePage', () => import('./CreatePage.js'))];
}
