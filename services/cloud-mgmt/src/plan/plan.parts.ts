import { CLOUD_ACCOUNT, INFRASTRUCTURE } from '@crate/api';
import type { ServiceMethod } from '@crate/messaging';
import { ownVersion, type Foundation } from '@crate/service-host';
import { TerraformSlots } from '@crate/terraform';
import type { CloudMgmtConfig } from '../config.js';
import { InfrastructureClouds } from '../infrastructure/infrastructure-cloud.js';
import type { SharedParts } from '../shared-parts.js';
import { StateKeeper } from '../terraform-run/state-keeper.js';
import { terraformRunnerOf } from '../terraform-run/terraform-runner-of.js';
import { PlanPreviewer } from './plan-previewer.js';
import { wishOf } from './plan-wish.js';

/** Previews at a time in one process; the memory is for runs. */
const PREVIEWS = 1;
/** Longer than any preview may take: what is older, a killed process left behind. */
const LEFT_BEHIND_MS = 60 * 60_000;

/** Looking ahead, for lifecycle. */
export interface PlanParts {
  readonly method: ServiceMethod;
  /** Removes what killed previews left behind. */
  readonly onStart: () => Promise<void>;
}

/** Wires previews of plans into the service. */
export function planParts(foundation: Foundation, config: CloudMgmtConfig, shared: SharedParts): PlanParts {
  const { clients, secrets, recovery } = foundation;
  const { binary, runs, providers, credentials, stack, policies } = shared;
  const slots = new TerraformSlots(PREVIEWS);
  const runner = terraformRunnerOf(config, { binary });
  const previewer = new PlanPreviewer({
    infrastructures: clients.for(INFRASTRUCTURE),
    accounts: clients.for(CLOUD_ACCOUNT),
    stack,
    states: new StateKeeper(secrets),
    runs,
    clouds: new InfrastructureClouds(providers, credentials),
    recovery,
    runner,
    slots,
    policies,
    release: ownVersion(),
    timeoutMs: config.terraform.previewTimeoutMs,
  });
  return {
    method: { scope: 'resources:read', handle: async (body, context) => previewer.preview(wishOf(body), context) },
    onStart: () => runner.clearScratch(LEFT_BEHIND_MS),
  };
}
