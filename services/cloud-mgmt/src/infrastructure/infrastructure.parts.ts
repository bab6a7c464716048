import { CLOUD_ACCOUNT, DELETION_RECORD, INFRASTRUCTURE, isPaused, type Infrastructure } from '@crate/api';
import { policyHints, StandingReviews } from '@crate/messaging';
import { DeletionWatch } from '@crate/reconcile';
import type { Foundation, RegisteredReconciler } from '@crate/service-host';
import type { CloudMgmtConfig } from '../config.js';
import { deletionParts } from '../deletion/deletion.parts.js';
import { driftParts } from '../drift/drift.parts.js';
import { StandingPlanPhase } from '../policy/standing-plan.phase.js';
import { ForgottenPhase } from '../recovery/forgotten.phase.js';
import { RecoveryGate } from '../recovery/recovery-gate.js';
import type { SharedParts } from '../shared-parts.js';
import { delayAfterRunsMs } from '../terraform-run/retry-delay.js';
import { stateLockPhase, StatePhase } from '../terraform-state/phases/state.phase.js';
import { terraformRunParts } from '../terraform-run/terraform-run.parts.js';
import { InfrastructureClouds } from './infrastructure-cloud.js';
import type { InfrastructurePhases } from './infrastructure.phases.js';
import { clearPhase, type InfrastructureScope } from './infrastructure.scope.js';
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
export function infrastructureParts(
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
    retryDelayMs: async (uid, epoch) => delayAfterRunsMs(await runs.list(uid), epoch),
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
  const parts = phaseParts(foundation, config, shared);
  return { ...bringUp(parts), tearDown: tearDown(parts) };
}

type PhaseParts = ReturnType<typeof phaseParts>;

/** What phases of both ways stand on. */
function phaseParts(foundation: Foundation, config: CloudMgmtConfig, shared: SharedParts) {
  const { providers, credentials, policies, locks, stack, view } = shared;
  const events = foundation.events.recorder;
  const clouds = new InfrastructureClouds(providers, credentials);
  const recovery = new RecoveryGate(foundation.recovery);
  const terraform = terraformRunParts(foundation, config, shared, recovery);
  const { states } = terraform;
  const drift = driftParts(foundation, shared, { ...terraform, clouds, stack, policies });
  const deletion = deletionParts(foundation, shared, { clouds, terraform });
  const state = new StatePhase({ states, locks, view, records: deletion.records, events });
  return { foundation, config, shared, stack, clouds, recovery, terraform, drift, deletion, state };
}

function bringUp(parts: PhaseParts): Omit<InfrastructurePhases, 'tearDown'> {
  const { foundation, config, shared, stack, clouds, recovery, terraform, drift, state } = parts;
  const { clients, store, logger } = foundation;
  const { installationId, runs, slots, policies } = shared;
  const { executor, states } = terraform;
  const infrastructures = clients.for(INFRASTRUCTURE);
  const records = clients.for(DELETION_RECORD);
  const events = foundation.events.recorder;
  const deletions = new DeletionWatch(infrastructures, store);
  const turns = new DeletionWatch(infrastructures, store, isHeldOrChanged);
  // As often as a pass comes in any case.
  const standing = new StandingReviews(policies, { everyMs: RESYNC_MS, logger });
  const look = [
    state.run,
    new AccountPhase(clients.for(CLOUD_ACCOUNT)).run,
    new StackPhase(stack, runs, foundation.recovery).run,
  ];
  const judge = new StandingPlanPhase(standing, states).run;
  return {
    bringUp: [
      ...look,
      stateLockPhase,
      accountReadyPhase(),
      new ManagementNetworksPhase(config.managementCidrs).run,
      new ForgottenPhase({ installationId, clouds, recovery, infrastructures, records }).run,
      drift.compare,
      clearPhase,
      new TerraformPhase({ executor, states, slots, clouds, stack, events, policies, deletions, turns }).run,
      judge,
      machinesRunPhase,
      drift.note,
    ],
    pause: [...look, drift.compare, judge, drift.note],
  };
}

function tearDown(parts: PhaseParts): InfrastructurePhases['tearDown'] {
  const { foundation, shared, stack, clouds, recovery, terraform, drift, deletion, state } = parts;
  const { runs, slots, policies } = shared;
  const { executor, states } = terraform;
  const { targets } = deletion;
  const events = foundation.events.recorder;
  return [
    drift.exempt,
    state.run,
    stateLockPhase,
    // Before anything of it is touched: what the cluster left behind goes without a plan that could be refused.
    recovery.deletionPhase(({ infrastructure }: InfrastructureScope) => infrastructure),
    clearPhase,
    deletion.leftovers,
    new DestroyPhase({ targets, executor, states, runs, slots, stack, policies, events }).run,
    // Disks that were in use are free only once the machines are gone.
    deletion.leftovers,
    deletion.proof,
    drift.forget,
    new ForgetPhase(executor, foundation.secrets, clouds).run,
  ];
}

function isHeldOrChanged(found: Infrastructure, started: Infrastructure): boolean {
  return isPaused(found) || found.metadata.generation !== started.metadata.generation;
}
