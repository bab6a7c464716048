import type { Foundation } from '@crate/service-host';
import type { TerraformRunner } from '@crate/terraform';
import type { CloudMgmtConfig } from '../config.js';
import type { RecoveryGate } from '../recovery/recovery-gate.js';
import type { SharedParts } from '../shared-parts.js';
import type { RunEnding } from './run-ending.js';
import { resourceChanges, runDurations } from './run-metrics.js';
import { StateKeeper } from './state-keeper.js';
import { TerraformExecutor } from './terraform-executor.js';
import { terraformRunnerOf } from './terraform-runner-of.js';

/** What Terraform is run with. */
export interface TerraformRunParts {
  readonly runner: TerraformRunner;
  readonly states: StateKeeper;
  readonly executor: TerraformExecutor;
  readonly ending: RunEnding;
}

/** Puts together what runs Terraform for Infrastructures; `recovery` holds back what it would destroy. */
export function terraformRunParts(
  { secrets, logger, metrics }: Foundation,
  config: CloudMgmtConfig,
  { runs, logs, binary, ending }: SharedParts,
  recovery: RecoveryGate,
): TerraformRunParts {
  const states = new StateKeeper(secrets);
  const runner = terraformRunnerOf(config, { binary });
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
  return { runner, states, executor, ending };
}
