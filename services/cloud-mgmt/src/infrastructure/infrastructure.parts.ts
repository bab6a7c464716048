import { CLOUD_ACCOUNT, DELETION_RECORD, INFRASTRUCTURE } from '@crate/api';
import { policyHints, StandingReviews } from '@crate/messaging';
import { DeletionWatch } from '@crate/reconcile';
import type { Foundation, RegisteredReconciler } from '@crate/service-host';
import { TerraformRunner } from '@crate/terraform';
import type { CloudMgmtConfig } from '../config.js';
import { DeletionRecords } from '../deletion/deletion-records.js';
import { DeletionTargets } from '../deletion/deletion-target.js';
import { LeftoversPhase } from '../deletion/phases/leftovers.phase.js';
import { ProofPhase } from '../deletion/phases/proof.phase.js';
import { TerraformLeftoverRemover } from '../deletion/terraform-leftover-remover.js';
import { wireDrift } from '../drift/drift.parts.js';
import { StandingPlanPhase } from '../policy/standing-plan.phase.js';
import { ForgottenPhase } from '../recovery/forgotten.phase.js';
import { RecoveryGate } from '../recovery/recovery-gate.js';
import type { SharedParts } from '../shared-parts.js';
import { OrphanRemover } from '../sweep/orphan-remover.js';
import { retryDelayMs } from '../terraform-run/retry-delay.js';
import { runEnding } from '../terraform-run/run-ending.js';
import { StateKeeper } from '../terraform-run/state-keeper.js';
import { resourceChanges, runDurations } from '../terraform-run/run-metrics.js';
import { TerraformExecutor } from '../terraform-run/terraform-executor.js';
import { stateLockPhase, StatePhase } from '../terraform-state/phases/state.phase.js';
import { failuresInARow } from '../terraform-run/terraform-run.repository.js';
import { InfrastructureClouds } from './infrastructure-cloud.js';
import { AwsInfrastructureStack } from './infrastructure-stack.js';
import type { InfrastructurePhases } from './infrastructure.phases.js';
import type { InfrastructureScope } from './infrastructure.scope.js';
import { InfrastructureReconciler } from './infrastructure.reconciler.js';
import { AccountPhase, accountReadyPhase } from './phases/account.phase.js';
import { DestroyPhase } from './phases/destroy.phase.js';
import { ForgetPhase } from './phases/forget.phase.js';
import { ManagementNetworksPhase } from './phases/management-networks.phase.js';
import { StackPhase } from './phases/stack.phase.js';
import { TerraformPhase } from './phases/terraform.phase.js';
import { machinesRunPhase } from './stopped-machines.js';

/** Far more than run at a time: those that wait for their turn show their place in the queue. */
const PASSES = 256;
const RESYNC_MS = 30 * 60_000;
const MINUTE_MS = 60_000;

/** Puts the reconciler of Infrastructures together. */
export function wireInfrastructures(
  foundation: Foundation,
  config: CloudMgmtConfig,
  shared: SharedParts,
): RegisteredReconciler {
  const { runs } = shared;
  const reconciler = new InfrastructureReconciler({
    infrastructures: foundation.clients.for(INFRASTRUCTURE),
    phases: phases(foundation, config, shared),
    events: foundation.events.recorder,
    warnAfterMs: config.deletion.warningAfterMs,
    retryDelayMs: async (uid) => retryDelayMs(failuresInARow(await runs.list(uid))),
  });
  const { timeoutMs } = config.terraform;
  const options = {
    concurrency: PASSES,
    remoteDeadlineMs: timeoutMs,
    deadlineMs: timeoutMs + config.terraform.graceMs + MINUTE_MS,
    resyncMs: RESYNC_MS,
  };
  return { reconciler, kind: INFRASTRUCTURE, options, hints: policyHints(foundation.clients.for(INFRASTRUCTURE)) };
}

function phases(foundation: Foundation, config: CloudMgmtConfig, shared: SharedParts): InfrastructurePhases {
  const { clients, secrets, logger, metrics } = foundation;
  const events = foundation.events.recorder;
  const { runs, locks, view, logs, slots, binary, providers, credentials, policies } = shared;
  const ending = runEnding(config);
  const { graceMs } = ending;
  const accounts = clients.for(CLOUD_ACCOUNT);
  const stack = new AwsInfrastructureStack(config.managementCidrs, shared.installationId);
  const states = new StateKeeper(secrets);
  const clouds = new InfrastructureClouds(providers, credentials);
  const runner = new TerraformRunner({ binary, directory: config.workspacesDir, path: config.path, slots, graceMs });
  const recovery = new RecoveryGate(foundation.recovery);
  const executor = new TerraformExecutor({
    runner,
    runs,
    logs,
    states,
    logger,
    durations: runDurations(metrics),
    onApplied: resourceChanges(metrics),
    ...ending,
    recovery,
  });
  // As often as a pass comes in any case.
  const standing = new StandingReviews(policies, { everyMs: RESYNC_MS, logger });
  const drift = wireDrift(foundation, shared, { runner, states, clouds, stack, policies, ending });
  const records = new DeletionRecords({ records: clients.for(DELETION_RECORD), events });
  const state = new StatePhase({ states, locks, view, records, events });
  const targets = new DeletionTargets({ accounts, states, runs, clouds, recovery: foundation.recovery });
  const orphans = new OrphanRemover({ runner, runs, logs, slots, logger, ...ending });
  const leftovers = new LeftoversPhase(targets, new TerraformLeftoverRemover(orphans, providers, credentials));
  const forgotten = new ForgottenPhase({
    installationId: shared.installationId,
    clouds,
    recovery,
    infrastructures: clients.for(INFRASTRUCTURE),
    records: clients.for(DELETION_RECORD),
  });
  return {
    bringUp: [
      state.run,
      new AccountPhase(accounts).run,
      new StackPhase(stack, states, runs, foundation.recovery).run,
      stateLockPhase,
      accountReadyPhase,
      new ManagementNetworksPhase(config.managementCidrs).run,
      forgotten.run,
      drift.compare,
      new TerraformPhase({
        executor,
        states,
        slots,
        clouds,
        stack,
        events,
        policies,
        deletions: new DeletionWatch(clients.for(INFRASTRUCTURE)),
      }).run,
      new StandingPlanPhase(standing, states).run,
      machinesRunPhase,
      drift.note,
    ],
    tearDown: [
      state.run,
      stateLockPhase,
      // Before anything of it is touched: what the cluster left behind goes without a plan that could be refused.
      recovery.deletionPhase(({ infrastructure }: InfrastructureScope) => infrastructure),
      leftovers.run,
      new DestroyPhase({ targets, executor, states, slots, stack, policies, events }).run,
      // Disks that were in use are free only once the machines are gone.
      leftovers.run,
      new ProofPhase({ targets, records }).run,
      drift.forget,
      new ForgetPhase(executor, secrets, clouds).run,
    ],
  };
}
