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
    scope.isDoubtful = isDoubtful(await this.recovery?.findLast(), lastChange(runs));
    // What never began, such as a run that was not let through, left what was applied before it as it was.
    const change = scope.isReleased ? lastChange(runs) : runs.find(mayHaveChanged);
    scope.isUnasked = scope.isReleased || isAppliedOnce(scope, runs);
    scope.isApplied = scope.isUnasked && isKnown(scope) && change?.state === 'succeeded';
    // A run of what only the release changes may be held for days, and what a run is to look at is no reason to call the cluster unready.
    if (scope.isApplied && !scope.isReleased) lookAt(scope, last);
    // What is to be applied waits for its turn, be it to be compared: hundreds that wait would hold as many states, secrets and all.
    if (!scope.isApplied) scope.stored = undefined;
    return settled;
  };
}

/** Something is there, and the state that it was published from. A store that was set back, or a state that was lost, is looked after by the next run. */
function isKnown({ infrastructure: { status }, stateSerial: serial }: InfrastructureScope): boolean {
  return status?.outputs !== undefined && serial !== undefined && serial >= (status.stateSerial ?? 0);
}

/** Whether this very stack was applied in full, and nothing else begun since: whatever is run for it now, nobody has asked for. */
function isAppliedOnce(scope: InfrastructureScope, runs: readonly TerraformRun[]): boolean {
  const { metadata, status } = scope.infrastructure;
  // What was approved may be more than the configuration says, such as to put back what somebody changed.
  if (isPlanOpen(scope, 'apply') || !isKnown(scope) || status?.appliedHash !== scope.stack?.hash) return false;
  const success = runs.findIndex(({ state }) => state === 'succeeded');
  const since = runs.slice(0, success < 0 ? undefined : success);
  // What another spec has begun is taken back by a run that was asked for, and so is the one after a person has put a state in place.
  const isOfThis = ({ kind, generation }: TerraformRun): boolean =>
    kind === 'apply' && (generation === status?.observedGeneration || generation === metadata.generation);
  return runs.length > 0 && since.filter(mayHaveChanged).every(isOfThis);
}

/** Unlike `lastChange`: a run that goes on, or was killed, may not have come to changing anything. */
function mayHaveChanged({ state, hasBegun }: TerraformRun): boolean {
  return hasBegun || state === 'succeeded';
}

/** A run that found a machine stopped is followed by another until somebody has started it: only a run looks. */
function lookAt(scope: InfrastructureScope, last: TerraformRun | undefined): void {
  const { stored, mustLook = false } = scope;
  scope.stoppedMachines = stored ? stoppedMachines({ bytes: stored.plain }) : [];
  scope.isRunDue = mustLook || scope.stoppedMachines.length > 0 || last?.state !== 'succeeded';
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
