import { invariant } from '@crate/errors';
import { settled, type Outcome } from '@crate/reconcile';
import type { RecoveryState } from '@crate/service-host';
import { isDoubtful } from '../../recovery/doubt.js';
import { isPlanOpen } from '../../plan/plan-gate.js';
import { isAskedToLook } from '../../sweep/asked-owners.js';
import type { TerraformRun, TerraformRunRepository } from '../../terraform-run/terraform-run.repository.js';
import { lastChange } from '../../terraform-run/unbegun-run.js';
import type { InfrastructureStack } from '../infrastructure-stack.js';
import type { InfrastructureScope } from '../infrastructure.scope.js';
import { stoppedMachines } from '../stopped-machines.js';

/** Writes the stack, and finds out whether it is what was applied last. */
export class StackPhase {
  constructor(
    private readonly stack: InfrastructureStack,
    private readonly runs: TerraformRunRepository,
    private readonly recovery?: Pick<RecoveryState, 'findLast'>,
  ) {}

  readonly run = async (scope: InfrastructureScope): Promise<Outcome> => {
    const { infrastructure, account, stored } = scope;
    if (!account) throw invariant('The account phase has not run');
    scope.stack = this.stack.synthesize(infrastructure, account);
    if (stored) scope.stateSerial = stored.serial;
    scope.settingsHash = this.stack.settingsHash(infrastructure, account);
    scope.isReleased = isReleased(scope);
    const runs = await this.runs.list(infrastructure.metadata.uid);
    scope.runs = runs;
    const [last] = runs;
    scope.mustLook = isAskedToLook(infrastructure, account, last);
    scope.isDoubtful = isDoubtful(await this.recovery?.findLast(), last);
    // A run of what only the release changes may be held for days, and what a run is to look at is no reason to call the cluster unready.
    const isLookedAt = scope.isReleased || (!scope.mustLook && doMachinesRun(scope));
    // What never began, such as a run that was not let through, left what was applied before it as it was.
    const newest = scope.isReleased ? lastChange(runs) : last;
    scope.isApplied = isLookedAt && this.isApplied(scope, newest);
    // What is to be applied waits for its turn, be it to be compared: hundreds that wait would hold as many states, secrets and all.
    if (!scope.isApplied) scope.stored = undefined;
    return settled;
  };

  private isApplied(scope: InfrastructureScope, last: TerraformRun | undefined): boolean {
    const { stack, stateSerial: serial } = scope;
    const { status } = scope.infrastructure;
    // What was approved may be more than the configuration says, such as to put back what somebody changed.
    if (isPlanOpen(scope, 'apply')) return false;
    if (!status?.outputs || (status.appliedHash !== stack?.hash && !scope.isReleased)) return false;
    // A store that was set back, or a state that was lost, is looked after by the next run.
    if (serial === undefined || serial < (status.stateSerial ?? 0)) return false;
    // A later run that did not succeed may have changed part of the stack already.
    return last?.state === 'succeeded';
  }
}

/** A run that found one stopped is followed by another until somebody has started it: only a run looks. */
function doMachinesRun({ stored }: InfrastructureScope): boolean {
  return !stored || stoppedMachines({ bytes: stored.plain }).length === 0;
}

/** Whether everything that people ask for was applied in full, and the stack is another one all the same. */
function isReleased(scope: InfrastructureScope): boolean {
  const { infrastructure, stack, settingsHash } = scope;
  const { metadata, status } = infrastructure;
  if (status?.appliedHash === undefined || status.appliedHash === stack?.hash || isPlanOpen(scope, 'apply'))
    return false;
  // An older release did not say of which settings it was applied.
  const { appliedSettings = settingsHash } = status;
  return status.observedGeneration === metadata.generation && appliedSettings === settingsHash;
}
