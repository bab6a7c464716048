import { isDeepStrictEqual } from 'node:util';
import { invariant } from '@crate/errors';
import { waiting, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import type { TerraformRunRepository } from '../terraform-run/terraform-run.repository.js';
import { askedCheck } from './drift-decision.js';
import type { DriftPhaseParts } from './drift.phase.js';
import { nextLookMs } from './drift-schedule.js';
import type { DriftScope } from './drift-scope.js';
import { settledByRun } from './settled-by-run.js';

export interface DriftSettledPhaseParts extends Pick<DriftPhaseParts, 'records' | 'now'> {
  readonly runs: Pick<TerraformRunRepository, 'list'>;
}

/** Notes that a run has put everything back, and says when to compare next. Runs when everything else is done. */
export class DriftSettledPhase {
  constructor(private readonly parts: DriftSettledPhaseParts) {}

  readonly run = async (scope: InfrastructureScope, context: ReconcileContext): Promise<Outcome> => {
    const { drift, infrastructure } = scope;
    const now = this.parts.now();
    if (!drift) throw invariant('The drift phase has not run');
    if (drift.isApplying) await this.note(scope, drift, context);
    return waiting('NextDriftCheck', nextLookMs(drift.record, infrastructure, { now, ...drift }));
  };

  private async note(scope: InfrastructureScope, drift: DriftScope, { epoch }: ReconcileContext): Promise<void> {
    const { infrastructure } = scope;
    const { uid } = infrastructure.metadata;
    const [last] = await this.parts.runs.list(uid);
    const { record: before, decision } = drift;
    const asked = askedCheck(infrastructure, before);
    drift.record = {
      ...settledByRun(before, last),
      ...(asked === undefined ? {} : { answered: asked }),
      ...(decision === undefined ? {} : { resolved: decision }),
    };
    if (!isDeepStrictEqual(drift.record, before)) await this.parts.records.save(uid, epoch, drift.record);
  }
}
