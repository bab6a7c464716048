import type { AnyRoute } from '@tanstack/react-router';
import { pageRoute } from '../../app/page-routes.js';

/** The pages below `/audit`; their code comes when they are first opened. */
export function auditRoutes(parent: () => AnyRoute): AnyRoute[] {
  return [pageRoute(parent, '/audit', 'AuditPage', () => import('./AuditPage.js'))];
}
