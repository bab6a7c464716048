import { Module } from '@nestjs/common';
import { DELETION_RECORD, INFRASTRUCTURE } from '@crate/api';
import { GuardedPolicyReviewer, NatsPolicyReviewer } from '@crate/messaging';
import { PostgresLogParts, RunLogs } from '@crate/run-log';
import {
  CONFIG,
  FOUNDATION,
  RecoveryHold,
  SERVICE_PARTS,
  type Foundation,
  type ServiceParts,
} from '@crate/service-host';
import { findTerraform, TerraformSlots } from '@crate/terraform';
import { AccountCredentialsStore } from './cloud-account/account-credentials.js';
import { serveCloudAccounts, cloudAccountParts } from './cloud-account/cloud-account.parts.js';
import type { CloudMgmtConfig } from './config.js';
import { deletionRecordParts } from './deletion/deletion-record.parts.js';
import { observeDrift } from './drift/drift-metrics.js';
import { PostgresDriftRecordRepository } from './drift/postgres-drift-record.repository.js';
import { serveInfrastructures } from './infrastructure/infrastructure.serving.js';
import { AwsInfrastructureStack } from './infrastructure/infrastructure-stack.js';
import { infrastructureParts } from './infrastructure/infrastructure.parts.js';
import { ensureInstallationId } from './installation/installation-id.js';
import { planParts } from './plan/plan.parts.js';
import { PLAN_REVIEW_TIMEOUT_MS } from './policy/plan-review.js';
import { AwsProvider } from './provider/aws/aws-provider.js';
import { CloudProviders } from './provider/cloud-providers.js';
import { SandboxAwsProvider } from './provider/sandbox-aws/sandbox-aws-provider.js';
import type { SharedParts } from './shared-parts.js';
import { cloudStatus } from './status/cloud-status.js';
import { sweepParts, sweepReconcilerParts } from './sweep/sweep.parts.js';
import { LeftWorkspaces } from './terraform-run/left-workspaces.js';
import { PrismaTerraformRunRepository } from './terraform-run/prisma-terraform-run.repository.js';
import { livenessOf, runEnding } from './terraform-run/run-ending.js';
import { terraformRunnerOf } from './terraform-run/terraform-runner-of.js';
import { KEPT_RUNS } from './terraform-run/terraform-run.repository.js';
import { StateKeeper } from './terraform-run/state-keeper.js';
import { LockView } from './terraform-state/lock-view.js';
import { serveStates } from './terraform-state/state.serving.js';
import { PostgresStateLocks } from './terraform-state/postgres-state-locks.js';
import { observeSlots } from './terraform-run/slot-metrics.js';

/** Wires cloud-mgmt: its kinds, their reconcilers, Terraform and the providers. */
@Module({
  providers: [{ provide: SERVICE_PARTS, useFactory: cloudMgmtParts, inject: [FOUNDATION, CONFIG] }],
  exports: [SERVICE_PARTS],
})
export class CloudMgmtModule {}

async function cloudMgmtParts(foundation: Foundation, config: CloudMgmtConfig): Promise<ServiceParts> {
  const shared = await sharedParts(foundation, config);
  const states = serveStates(foundation, shared);
  const plans = planParts(foundation, config, shared);
  const sweep = sweepParts(foundation, config, shared);
  const left = leftWorkspaces(foundation, config, shared);
  return {
    kinds: [
      serveCloudAccounts(foundation, shared, sweep),
      serveInfrastructures({
        infrastructures: foundation.clients.for(INFRASTRUCTURE),
        states: states.subresources,
        keeper: new StateKeeper(foundation.secrets),
        ...shared,
      }),
      states.kind,
      { definition: DELETION_RECORD },
    ],
    methods: { 'plan.preview': plans.method },
    status: cloudStatus(foundation, shared),
    onStart: async () => {
      await plans.onStart();
      await left.start();
    },
    onStop: () => left.stop(),
    reconcilers: [
      cloudAccountParts(foundation, shared, sweep),
      infrastructureParts(foundation, config, shared),
      deletionRecordParts(foundation, config, shared),
      sweepReconcilerParts(foundation, config, sweep),
    ],
  };
}

function leftWorkspaces(foundation: Foundation, config: CloudMgmtConfig, shared: SharedParts): LeftWorkspaces {
  return new LeftWorkspaces({
    runner: terraformRunnerOf(config, shared),
    infrastructures: foundation.clients.for(INFRASTRUCTURE),
    runs: shared.runs,
    recovery: new RecoveryHold(foundation.recovery),
    logger: foundation.logger,
  });
}

async function sharedParts(
  { database, secrets, calls, service, logger, metrics }: Foundation,
  config: CloudMgmtConfig,
): Promise<SharedParts> {
  const { sandboxUrl, path } = config;
  const { binary: command, concurrency } = config.terraform;
  const slots = new TerraformSlots(concurrency);
  observeSlots(metrics, slots);
  const runs = new PrismaTerraformRunRepository(database);
  const locks = new PostgresStateLocks(database);
  const ending = { ...runEnding(config), liveness: livenessOf(runs, runEnding(config)) };
  await ending.liveness.look();
  const drift = new PostgresDriftRecordRepository(database);
  observeDrift(metrics, drift);
  const installationId = await ensureInstallationId(database);
  return {
    installationId,
    stack: new AwsInfrastructureStack(config.managementCidrs, installationId, config.meteredCluster),
    binary: await findTerraform({ path, ...(command === undefined ? {} : { command }) }),
    slots,
    ...{ runs, locks, ending, view: new LockView({ locks, runs, ...ending }) },
    logs: new RunLogs({ parts: new PostgresLogParts(database), logger, keepRuns: KEPT_RUNS }),
    drift,
    providers: new CloudProviders({
      aws: new AwsProvider(),
      ...(sandboxUrl === undefined ? {} : { 'sandbox-aws': new SandboxAwsProvider(sandboxUrl) }),
    }),
    credentials: new AccountCredentialsStore(secrets),
    policies: new GuardedPolicyReviewer(new NatsPolicyReviewer(service, calls, PLAN_REVIEW_TIMEOUT_MS), {
      whenUnavailable: { TerraformPlan: config.policy.unavailable.terraformPlan },
      logger,
    }),
  };
}
