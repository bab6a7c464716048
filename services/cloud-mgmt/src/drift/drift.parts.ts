import { INFRASTRUCTURE, type Infrastructure } from '@crate/api';
import type { PolicyReviewer } from '@crate/messaging';
import { DeletionWatch, settled, type Phase } from '@crate/reconcile';
import type { Foundation } from '@crate/service-host';
import type { TerraformRunner } from '@crate/terraform';
import type { InfrastructureClouds } from '../infrastructure/infrastructure-cloud.js';
import type { InfrastructureStack } from '../infrastructure/infrastructure-stack.js';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import type { SharedParts } from '../shared-parts.js';
import { runDurations } from '../terraform-run/run-metrics.js';
import type { RunEnding } from '../terraform-run/run-ending.js';
import type { StateKeeper } from '../terraform-run/state-keeper.js';
import { DriftChecker } from './drift-checker.js';
import { exemptPhase } from './drift-exemption.js';
import { DriftLook } from './drift-look.js';
import { DriftSettledPhase } from './drift-settled.phase.js';
import { DriftPhase } from './drift.phase.js';

export interface DriftPorts {
  readonly runner: TerraformRunner;
  readonly states: StateKeeper;
  readonly clouds: InfrastructureClouds;
  readonly stack: InfrastructureStack;
  readonly policies: PolicyReviewer;
  readonly ending: RunEnding;
}

export interface DriftPhases {
  /** Before Terraform may run. */
  readonly compare: Phase<InfrastructureScope>;
  /** When all is as it should be. */
  readonly note: Phase<InfrastructureScope>;
  /** When it is deleted. */
  readonly exempt: Phase<InfrastructureScope>;
  /** When nothing is left. */
  readonly forget: Phase<InfrastructureScope>;
}

/** Puts together what compares Infrastructures with the cloud. */
export function driftParts(
  { clients, store, logger, metrics }: Foundation,
  { runs, slots, drift: records }: SharedParts,
  { runner, states, clouds, stack, policies, ending }: DriftPorts,
): DriftPhases {
  const now = (): Date => new Date();
  const durations = runDurations(metrics);
  const checker = new DriftChecker({ runner, runs, states, logger, durations, ...ending });
  const isOtherSpec = (found: Infrastructure, started: Infrastructure): boolean =>
    found.metadata.generation !== started.metadata.generation;
  const changes = new DeletionWatch<Infrastructure>(clients.for(INFRASTRUCTURE), store, isOtherSpec);
  const look = new DriftLook({ checker, clouds, stack, policies, changes, now });
  return {
    compare: new DriftPhase({ records, slots, look, now }).run,
    note: new DriftSettledPhase({ records, runs, now }).run,
    exempt: exemptPhase(records),
    forget: async ({ infrastructure }) => {
      await records.remove(infrastructure.metadata.uid);
      return settled;
    },
  };
}
