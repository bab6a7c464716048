import { CLOUD_ACCOUNT, DELETION_RECORD, INFRASTRUCTURE, type CloudAccount } from '@crate/api';
import { UNCHANGED } from '@crate/messaging';
import type { Foundation, RegisteredReconciler } from '@crate/service-host';
import type { CloudMgmtConfig } from '../config.js';
import { INFRASTRUCTURE_RECONCILER } from '../infrastructure/infrastructure.reconciler.js';
import { RecoveryGate } from '../recovery/recovery-gate.js';
import type { SharedParts } from '../shared-parts.js';
import { StateKeeper } from '../terraform-run/state-keeper.js';
import { terraformRunnerOf } from '../terraform-run/terraform-runner-of.js';
import { OrphanRemover } from './orphan-remover.js';
import { OrphanSweep } from './orphan-sweep.js';
import { observeOrphans, removals, sweeps } from './sweep-metrics.js';
import { SweepObserver } from './sweep-observer.js';
import { SWEEP_RECONCILER, SweepReconciler } from './sweep.reconciler.js';

const MINUTE_MS = 60_000;
const CONCURRENCY = 2;

/** Puts together what looks for orphans, on a schedule and when somebody asks. */
export function sweepParts(foundation: Foundation, config: CloudMgmtConfig, shared: SharedParts): OrphanSweep {
  const { clients, secrets, logger } = foundation;
  const { binary, slots, runs, logs, providers, credentials, installationId, ending, stack } = shared;
  const observer = new SweepObserver({
    installationId,
    accounts: clients.for(CLOUD_ACCOUNT),
    infrastructures: clients.for(INFRASTRUCTURE),
    records: clients.for(DELETION_RECORD),
    providers,
    credentials,
    runs,
    states: new StateKeeper(secrets),
    stack,
    now: () => new Date(),
  });
  const runner = terraformRunnerOf(config, { binary });
  const remover = new OrphanRemover({ runner, runs, logs, slots, logger, ...ending });
  const { graceMs, maxPerPass } = config.sweep;
  const recovery = new RecoveryGate(foundation.recovery);
  return new OrphanSweep({ observer, remover, providers, credentials, graceMs, maxPerPass, recovery });
}

/** The loop over accounts. */
export function sweepReconcilerParts(
  foundation: Foundation,
  config: CloudMgmtConfig,
  sweep: OrphanSweep,
): RegisteredReconciler {
  const { clients, metrics, events } = foundation;
  const accounts = clients.for(CLOUD_ACCOUNT);
  observeOrphans(metrics, accounts);
  const reconciler = new SweepReconciler({
    accounts,
    sweep,
    wakeOwners: (uids) => wakeOwners(foundation, uids),
    events: events.recorder,
    sweeps: sweeps(metrics),
    removed: removals(metrics),
  });
  const { timeoutMs, graceMs } = config.terraform;
  const options = {
    concurrency: CONCURRENCY,
    remoteDeadlineMs: timeoutMs,
    deadlineMs: timeoutMs + graceMs + MINUTE_MS,
    resyncMs: config.sweep.everyMs,
  };
  return { reconciler, kind: CLOUD_ACCOUNT, options };
}

/** Makes a sweep of the account due now. */
export async function wakeSweep({ queue, hints, service }: Foundation, { metadata }: CloudAccount): Promise<void> {
  const key = { namespace: metadata.namespace ?? '', name: metadata.name };
  await queue.enqueue(SWEEP_RECONCILER, [key]);
  const { group, kind } = CLOUD_ACCOUNT;
  hints.publish([{ service, group, kind, ...key, revision: UNCHANGED }]);
}

async function wakeOwners({ queue, hints, service, clients }: Foundation, uids: readonly string[]): Promise<void> {
  if (uids.length === 0) return;
  const owners = (await clients.for(INFRASTRUCTURE).list()).filter(({ metadata }) => uids.includes(metadata.uid));
  const keys = owners.map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name }));
  await queue.enqueue(INFRASTRUCTURE_RECONCILER, keys);
  const { group, kind } = INFRASTRUCTURE;
  hints.publish(keys.map((key) => ({ service, group, kind, ...key, revision: UNCHANGED })));
}
