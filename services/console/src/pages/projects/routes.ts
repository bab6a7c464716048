import type { AnyRoute } from '@tanstack/react-router';
import { pageInParts, pageRoute } from '../../app/page-routes.js';

const PATH = '/projects/$name';

/** The pages below `/projects`; their code comes when they are first opened. */
export function projectRoutes(parent: () => AnyRoute): AnyRoute[] {
  const page = pageRoute(parent, PATH, 'ProjectPage', () => import('./ProjectPage.js'));
  return [
    pageRoute(parent, '/projects', 'ProjectsPage', () => import('./ProjectsPage.js')),
    pageInParts(page, `${PATH}/overview`, (under) => [
      pageRoute(under, '/overview', 'OverviewTab', () => import('./OverviewTab.js')),
      pageRoute(under, '/members', 'MembersTab', () => import('./MembersTab.js')),
      pageRoute(under, '/accounts', 'AccountsTab', () => import('./AccountsTab.js')),
      pageRoute(under, '/keys', 'KeysTab', () => import('./KeysTab.js')),
    ]),
  ];
}
