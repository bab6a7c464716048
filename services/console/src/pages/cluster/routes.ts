import type { AnyRoute } from '@tanstack/react-router';
import { pageInParts, pageRoute } from '../../app/page-routes.js';

const PATH = '/clusters/$project/$name';

/** The pages below `/clusters/$project/$name`; their code comes when they are first opened. */
export function clusterRoutes(parent: () => AnyRoute): AnyRoute[] {
  const page = pageRoute(parent, PATH, 'ClusterPage', () => import('./ClusterPage.js'));
  return [
    pageInParts(page, `${PATH}/overview`, (under) => [
      pageRoute(under, '/overview', 'OverviewTab', () => import('./overview/OverviewTab.js')),
      pageRoute(under, '/tree', 'TreeTab', () => import('./tree/TreeTab.js')),
      pageRoute(under, '/logs', 'LogsTab', () => import('./logs/LogsTab.js')),
      pageRoute(under, '/plan', 'PlanTab', () => import('./plan/PlanTab.js')),
      pageRoute(under, '/drift', 'DriftTab', () => import('./drift/DriftTab.js')),
      pageRoute(under, '/nodes', 'NodesTab', () => import('./nodes/NodesTab.js')),
      pageRoute(under, '/add-ons', 'AddOnsTab', () => import('./add-ons/AddOnsTab.js')),
      pageRoute(under, '/yaml', 'YamlTab', () => import('./yaml/YamlTab.js')),
      pageRoute(under, '/state', 'StateTab', () => import('./state/StateTab.js')),
    ]),
  ];
}
