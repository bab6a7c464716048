import type { LeaseReport, RunReport } from '@crate/api';
import { objectNames, type Foundation, type NamedObject, type StatusParts } from '@crate/service-host';
import type { SharedParts } from '../shared-parts.js';
import type { LockView } from '../terraform-state/lock-view.js';
import type { HeldLock } from '../terraform-state/state-locks.js';
import type { TerraformRun } from '../terraform-run/terraform-run.repository.js';

/** Of each, the oldest. */
const MOST = 100;

/** Who works on Terraform states, and which runs go on: live or orphaned as their locks are shown. */
export function cloudStatus(
  { database }: Pick<Foundation, 'database'>,
  { runs, locks, view }: Pick<SharedParts, 'runs' | 'locks' | 'view'>,
): StatusParts {
  return {
    leases: async () => {
      const held = await locks.list(MOST);
      const names = await objectNames(database, uidsOf(held));
      return Promise.all(held.map((lock) => leaseOf(lock, view, names(lock.infrastructureUid))));
    },
    runs: async () => {
      const open = await runs.listAllOpen(MOST);
      const names = await objectNames(database, uidsOf(open));
      return Promise.all(open.map((run) => runOf(run, view, names(run.infrastructureUid))));
    },
  };
}

async function leaseOf(held: HeldLock, view: LockView, object: NamedObject): Promise<LeaseReport> {
  const { operation: task, ...lock } = await view.of(held);
  return { kind: 'TerraformState', task, ...object, ...lock };
}

async function runOf(run: TerraformRun, view: LockView, object: NamedObject): Promise<RunReport> {
  const { kind, identity, startedAt, heartbeatAt, epoch } = run;
  return {
    program: 'terraform',
    operation: kind,
    ...object,
    holder: identity ? `cloud-mgmt@${identity.host}` : 'cloud-mgmt',
    since: startedAt.toISOString(),
    lastSeen: heartbeatAt.toISOString(),
    epoch: String(epoch),
    state: (await view.isAlive(run)) ? 'live' : 'orphaned',
  };
}

function uidsOf(rows: readonly { readonly infrastructureUid: string }[]): readonly string[] {
  return rows.map(({ infrastructureUid }) => infrastructureUid);
}
