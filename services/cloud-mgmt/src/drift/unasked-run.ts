import { isConditionTrue, RUN_HELD, type Infrastructure } from '@crate/api';
import { isPlatformError, PlatformError } from '@crate/errors';
import { nameSome } from '@crate/reconcile';
import { foundDrift, type ResourceChange } from '@crate/terraform';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { stillStopped } from '../infrastructure/stopped-machines.js';
import { stopsMachine } from '../plan/plan-impact.js';
import { otherSteps, unaskedSteps, type DriftedPlace } from '../plan/unasked-steps.js';
import { mayPutBack, RELEASE_REMEDY } from './released-stack.js';

/** Where a cluster has no ceiling: what destroys something to make it anew is for a person to decide. */
export const MOST_BY_ITSELF = 'roll';

/** Until it is compared why a run was not let through. The comparison may not see what the run saw, so it is no loop without a pause. */
const COMPARED_AFTER_MS = 60_000;

type Json = Readonly<Record<string, unknown>>;

/** A run for what was applied already: after a sweep, for a stopped machine, or the repetition of one. */
export interface UnaskedRun {
  readonly spec: Pick<Infrastructure['spec'], 'maxImpact'>;
  /** Terraform configuration that it applies. */
  readonly document: Json;
  /** What differs in the cloud may be put back. */
  readonly isPutBack: boolean;
  /** Addresses of what it has taken over. */
  readonly adopted?: ReadonlySet<string>;
}

/**
 * What a run may not do before somebody asks for it, besides putting back what differs, for people; undefined: nothing. It may do what has no impact,
 * or no more than the policy `correct` allows; make whole what it took over, take away what was made twice, and finish what an earlier one began. Pure.
 */
export function heldSteps(plan: Json, run: UnaskedRun): string | undefined {
  const { maxImpact } = run.spec;
  const most = run.isPutBack ? (maxImpact ?? MOST_BY_ITSELF) : 'none';
  const beyond = unaskedSteps(plan, [], { most, isExpected: isExpectedIn(plan, run) });
  return beyond ?? (maxImpact && unaskedSteps(plan, [], { most: maxImpact }));
}

/** What waits of a run that was not let through, by a comparison after it, for people; undefined: nothing does. Pure. */
export function waitingSteps(plan: Json, drifted: readonly DriftedPlace[], run: UnaskedRun): string | undefined {
  // A plan is applied in full: whatever else is in it waits together with what is to stay as it is.
  return drifted.length > 0 && !run.isPutBack ? otherSteps(plan, drifted) : heldSteps(plan, run);
}

/** Lets pass the masked plan of a run that nobody asked for as far as nobody has to. Throws Forbidden (`RunHeld`). */
export function checkUnasked(scope: InfrastructureScope, plan: Json): void {
  const { infrastructure, drift, stack, adopted, stoppedMachines = [] } = scope;
  if (drift?.correction === 'decided') return;
  const isPutBack = mayPutBack(scope);
  const kept = isPutBack ? [] : foundDrift({ refresh: plan, plan });
  const run = {
    spec: infrastructure.spec,
    document: stack?.document ?? {},
    isPutBack,
    ...(adopted ? { adopted } : {}),
  };
  const found = kept.length > 0 ? nameSome(kept.map(({ address }) => `put back ${address}`)) : heldSteps(plan, run);
  if (found === undefined) return;
  // A comparison says nothing of machines: of those, the next run looks again, as often as any cluster is looked at.
  if (drift && stoppedMachines.length === 0) drift.postponedMs = COMPARED_AFTER_MS;
  scope.stoppedMachines = stillStopped(stoppedMachines, plan);
  const { kind, metadata } = infrastructure;
  throw new PlatformError('Forbidden', `Nobody has asked for what the run would do: ${found}`, {
    retry: 'slow',
    details: { kind, name: metadata.name, reason: RUN_HELD, remedy: remedyOf(kept) },
  });
}

/** Told in `OnHold` and in `PolicyCompliant`. What a restored memory holds back is told by the failure alone. */
const TOLD_ELSEWHERE: ReadonlySet<unknown> = new Set([RUN_HELD, 'PolicyDenied']);

/**
 * Takes it that a run was not let through, where all that is asked for stands meanwhile: that is no failure of the cluster. False where the error
 * is another one, something is half done, or somebody has decided that it be done.
 */
export function isHeldMeanwhile(scope: InfrastructureScope, error: unknown): boolean {
  const { drift, stage } = scope;
  if (!drift?.isOnlyCorrecting || drift.correction === 'decided' || stage === 'work') return false;
  if (!isPlatformError(error) || !TOLD_ELSEWHERE.has(error.details.reason)) return false;
  scope.isApplied = true;
  drift.isApplying = false;
  return true;
}

/** Whether something may be run now that no one waits for: what cannot be done now is no failure of the cluster. Pure. */
export function isFree({ account, isLockedByHand }: InfrastructureScope): boolean {
  return !isLockedByHand && isConditionTrue(account?.status?.conditions, 'Ready');
}

function remedyOf(kept: readonly DriftedPlace[]): string {
  if (kept.length === 0) return RELEASE_REMEDY;
  return 'Decide what is to become of it: "crate drift correct" puts it back, "crate drift keep" leaves it as it is';
}

function isExpectedIn(plan: Json, { document, adopted }: UnaskedRun): (step: ResourceChange) => boolean {
  const begun = new Set(
    changesOf(plan)
      .filter(isHalfDone)
      .map(({ address }) => address),
  );
  return (step) => {
    const { address, action } = step;
    if (begun.has(address)) return true;
    if (action === 'update') return adopted?.has(address) === true && !stopsMachine(step);
    return action === 'destroy' && !isConfigured(document, address);
  };
}

interface Change {
  readonly address?: unknown;
  readonly action_reason?: unknown;
  readonly deposed?: unknown;
}

/** Source: https://developer.hashicorp.com/terraform/internals/json-format#plan-representation */
function isHalfDone({ action_reason: reason, deposed }: Change): boolean {
  return reason === 'replace_because_tainted' || deposed !== undefined;
}

function changesOf({ resource_changes: changes }: Json): readonly Change[] {
  return Array.isArray(changes) ? (changes as Change[]) : [];
}

function isConfigured({ resource = {} }: Json, address: string): boolean {
  const [type = '', name = ''] = address.split('.');
  return (resource as Record<string, Json | undefined>)[type]?.[name] !== undefined;
}
