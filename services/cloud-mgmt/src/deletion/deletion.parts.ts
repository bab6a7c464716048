import { CLOUD_ACCOUNT, DELETION_RECORD } from '@crate/api';
import type { Phase } from '@crate/reconcile';
import type { Foundation } from '@crate/service-host';
import type { InfrastructureClouds } from '../infrastructure/infrastructure-cloud.js';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import type { SharedParts } from '../shared-parts.js';
import { OrphanRemover } from '../sweep/orphan-remover.js';
import type { TerraformRunParts } from '../terraform-run/terraform-run.parts.js';
import { DeletionRecords } from './deletion-records.js';
import { DeletionTargets } from './deletion-target.js';
import { LeftoversPhase } from './phases/leftovers.phase.js';
import { ProofPhase } from './phases/proof.phase.js';
import { TerraformLeftoverRemover } from './terraform-leftover-remover.js';

/** What deletes Infrastructures for good, besides Terraform. */
export interface DeletionParts {
  readonly targets: DeletionTargets;
  readonly records: DeletionRecords;
  /** Takes away what clusters left behind. */
  readonly leftovers: Phase<InfrastructureScope>;
  /** When nothing should be left. */
  readonly proof: Phase<InfrastructureScope>;
}

type Terraform = Pick<TerraformRunParts, 'runner' | 'states' | 'ending'>;

/** Puts it together. */
export function deletionParts(
  { clients, events, recovery, logger }: Foundation,
  { runs, logs, slots, providers, credentials }: SharedParts,
  { clouds, terraform }: { readonly clouds: InfrastructureClouds; readonly terraform: Terraform },
): DeletionParts {
  const { runner, states, ending } = terraform;
  const records = new DeletionRecords({ records: clients.for(DELETION_RECORD), events: events.recorder });
  const targets = new DeletionTargets({ accounts: clients.for(CLOUD_ACCOUNT), states, runs, clouds, recovery });
  const orphans = new OrphanRemover({ runner, runs, logs, slots, logger, ...ending });
  const remover = new TerraformLeftoverRemover(orphans, providers, credentials);
  return {
    targets,
    records,
    leftovers: new LeftoversPhase(targets, remover).run,
    proof: new ProofPhase({ targets, records }).run,
  };
}
