import { CLUSTER, PROJECT } from '@crate/api';
import type { KindInfo, ResourceRouter } from '@crate/resource-client';
import { serviceContext, type Foundation } from '@crate/service-host';
import { historyStart } from '../access/history-start.js';
import { AccountsInUseRouter } from './accounts-in-use-router.js';
import type { FrontDoorParts } from './front-door.js';
import { OwnHistoryRouter } from './own-history-router.js';
import { OwnersInProjectRouter } from './owners-in-project-router.js';
import { OwnProjectsRouter } from './own-projects-router.js';
import { ProjectScopedRouter } from './project-scoped-router.js';

/** Every kind of every service as people may use it: what keeps Projects apart whoever owns the kind. */
export function tenantRouter(
  kinds: ResourceRouter,
  { clients, service }: Pick<Foundation, 'clients' | 'service'>,
  { members, accounts }: Pick<FrontDoorParts, 'members' | 'accounts'>,
): ResourceRouter {
  const own = new OwnProjectsRouter(kinds);
  const history = new OwnHistoryRouter(own, historyStart(clients.for(PROJECT)));
  const used = new AccountsInUseRouter(history, clients.for(CLUSTER), (name, namespace) =>
    accounts.forget(name, namespace),
  );
  const context = serviceContext(service);
  const owned = new OwnersInProjectRouter(used, context);
  // A cluster is stored only while the Project it was judged by is there, so that the door need not read that, too.
  const isSeenTo = ({ group, kind }: KindInfo, project: string): boolean =>
    group === CLUSTER.group && kind === CLUSTER.kind && members.has(project);
  return new ProjectScopedRouter(owned, clients.for(PROJECT), context, isSeenTo);
}
