import { CLOUD_ACCOUNT, INFRASTRUCTURE, type Infrastructure } from '@crate/api';
import { UNCHANGED } from '@crate/messaging';
import type { ServedKind } from '@crate/resource-server';
import { RecoveryHold, type Foundation, type RegisteredReconciler } from '@crate/service-host';
import { INFRASTRUCTURE_RECONCILER } from '../infrastructure/infrastructure.reconciler.js';
import type { SharedParts } from '../shared-parts.js';
import type { OrphanSweep } from '../sweep/orphan-sweep.js';
import { serveSweep } from '../sweep/sweep.serving.js';
import { wakeSweep } from '../sweep/sweep.parts.js';
import { cloudAccountHooks } from './cloud-account.hooks.js';
import { CloudAccountReconciler } from './cloud-account.reconciler.js';

/** Puts the reconciler of CloudAccounts together. */
export function cloudAccountParts(
  foundation: Foundation,
  shared: SharedParts,
  sweep: OrphanSweep,
): RegisteredReconciler {
  const { clients } = foundation;
  const reconciler = new CloudAccountReconciler({
    accounts: clients.for(CLOUD_ACCOUNT),
    infrastructures: clients.for(INFRASTRUCTURE),
    credentials: shared.credentials,
    providers: shared.providers,
    forgetSweeps: (account) => sweep.forget(account),
    onReady: (users) => wake(foundation, users),
    recovery: new RecoveryHold(foundation.recovery),
    events: foundation.events.recorder,
    logger: foundation.logger,
  });
  return { reconciler, kind: CLOUD_ACCOUNT };
}

/** The kind as it is served, with its admission and what sweeps say. */
export function serveCloudAccounts(foundation: Foundation, shared: SharedParts, sweep: OrphanSweep): ServedKind {
  const { clients, events, service } = foundation;
  const own = { accounts: clients.for(CLOUD_ACCOUNT), infrastructures: clients.for(INFRASTRUCTURE) };
  return {
    definition: CLOUD_ACCOUNT,
    admit: cloudAccountHooks({ ...shared, ...own, service, events: events.recorder }),
    subresources: { sweep: serveSweep(sweep, (account) => wakeSweep(foundation, account)) },
  };
}

async function wake({ queue, hints, service }: Foundation, users: readonly Infrastructure[]): Promise<void> {
  const keys = users.map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name }));
  if (keys.length === 0) return;
  await queue.enqueue(INFRASTRUCTURE_RECONCILER, keys);
  // The queue is looked at every few seconds; the hint makes this replica and the others look now.
  const { group, kind } = INFRASTRUCTURE;
  hints.publish(keys.map((key) => ({ service, group, kind, ...key, revision: UNCHANGED })));
}
