import { isDeepStrictEqual } from 'node:util';
import { driftSummary, isPaused } from '@crate/api';
import { invariant } from '@crate/errors';
import { settled, waiting, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { TerraformSlots } from '@crate/terraform';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { queuedAnew, slotOf } from '../infrastructure/phases/terraform-slot.js';
import { isPlanOpen } from '../plan/plan-gate.js';
import type { TerraformRun } from '../terraform-run/terraform-run.repository.js';
import { isUnbegun, lastChange, wasRefused } from '../terraform-run/unbegun-run.js';
import { askedCheck, openDecision } from './drift-decision.js';
import type { DriftLook } from './drift-look.js';
import { isExempt } from './drift-exemption.js';
import { isDrifted, newDriftRecord, type DriftRecord } from './drift-record.js';
import type { DriftRecordRepository } from './drift-record.repository.js';
import { nextCheckAt, nextLookMs, postponedMs } from './drift-schedule.js';
import type { DriftScope } from './drift-scope.js';
import { keptDrift } from './found-drift-status.js';
import { withKept } from './kept-attributes.js';
import { isToBeAsked, mayPutBack } from './released-stack.js';
import { settledByRun } from './settled-by-run.js';
import { isFree } from './unasked-run.js';

export interface DriftPhaseParts {
  readonly records: DriftRecordRepository;
  readonly slots: TerraformSlots;
  readonly look: Pick<DriftLook, 'look'>;
  readonly now: () => Date;
}

/** A change that waits for a decision is let through by a comparison that is no older. */
const FRESH_MS = 5 * 60_000;

type Scope = InfrastructureScope & { readonly drift: DriftScope };

/** Whether to compare: when a slot is free, or before anything else may be done. */
type Need = 'due' | 'required';

/** Compares with the cloud when it is time, and decides what is done about what differs. Runs before Terraform may. */
export class DriftPhase {
  constructor(private readonly parts: DriftPhaseParts) {}

  readonly run = async (opened: InfrastructureScope, context: ReconcileContext): Promise<Outcome> => {
    const { infrastructure, runs } = opened;
    const { uid } = infrastructure.metadata;
    if (!runs) throw invariant('The stack phase has not run');
    const stored = await this.parts.records.find(uid);
    const last = lastChange(runs);
    const scope = open(opened, stored ?? newDriftRecord(this.parts.now(), last?.id));
    scope.drift.record = settledByRun(scope.drift.record, last);
    decide(scope, this.parts.now());

    const isRefused = wasRefusedSince(scope, runs[0]);
    scope.drift.record = { ...scope.drift.record, isExempt: !isRefused && isExempt(scope, runs) };
    const need = isRefused ? 'due' : this.need(scope);
    const wait = need && (await this.look(scope, need, context));
    if (!isDeepStrictEqual(scope.drift.record, stored)) {
      await this.parts.records.save(uid, context.epoch, scope.drift.record);
    }
    return wait ?? this.act(scope, runs[0]);
  };

  private need(scope: Scope): Need | undefined {
    const { infrastructure, isApplied, drift } = scope;
    if (drift.record.isExempt) return undefined;
    const isToHold = !isApplied && infrastructure.spec.drift.policy === 'hold' && !isPaused(infrastructure);
    if (isToHold && !this.isFresh(scope)) return 'required';
    return this.isDue(scope) ? 'due' : undefined;
  }

  /** Whether what is known is of this spec and of now. What differs is known until it is looked for by schedule. */
  private isFresh(scope: Scope): boolean {
    const { record } = scope.drift;
    const { stance, checkedAt } = record;
    if (stance !== stanceOf(scope)) return false;
    const ageMs = this.parts.now().getTime() - (checkedAt?.getTime() ?? 0);
    return isDrifted(record) || ageMs < FRESH_MS;
  }

  private isDue(scope: Scope): boolean {
    const { infrastructure } = scope;
    const { record } = scope.drift;
    const { metadata, spec } = infrastructure;
    // What there was no room to show is shown once the rest is kept.
    if (isDrifted(record) && record.stance === undefined) return true;
    // Whether it may be put back was not asked when it was found.
    const isUnjudged = record.stance !== stanceOf(scope);
    if (spec.drift.policy === 'correct' && isDrifted(record) && isUnjudged) return true;
    if (scope.isReleased && isUnjudged && record.failures === 0) return true;
    if (askedCheck(infrastructure, record) !== undefined) return true;
    return nextCheckAt(record, spec.drift, metadata.uid) <= this.parts.now();
  }

  /** What the pass waits for when another spec or a deletion has overtaken it, or it must be done and has left the line. */
  private async look(scope: Scope, need: Need, context: ReconcileContext): Promise<Outcome | undefined> {
    const release = await this.slot(scope, need, context);
    if (!release) return need === 'required' ? queuedAnew : undefined;
    const { infrastructure, account, stack, drift } = scope;
    if (!account || !stack) throw invariant('The stack phase has not run');
    try {
      const { record } = drift;
      const document = withKept(stack.document, record.drift?.kept ?? []);
      const stance = stanceOf(scope);
      const isReleased = scope.isReleased === true;
      // Whoever holds changes back must not let one through because nobody could look.
      const subject = {
        infrastructure,
        account,
        document,
        record,
        stance,
        isReleased,
        isRefused: scope.isUnasked === true && !isReleased && wasRefused(scope.runs?.[0]),
        isRequired: need === 'required',
      };
      const found = await this.parts.look.look(subject, context);
      if (!found) return waiting('Overtaken', 0);
      const asked = askedCheck(infrastructure, record);
      drift.record = asked === undefined ? found : { ...found, answered: asked };
      return undefined;
    } finally {
      release();
    }
  }

  private async slot(scope: Scope, need: Need, context: ReconcileContext): Promise<(() => void) | undefined> {
    const { slots, now } = this.parts;
    // What the comparison lets through follows it, while it is fresh.
    if (need === 'required') return slotOf(slots, scope, context, { keepsPlace: true });
    const release = slots.tryAcquire();
    const { record } = scope.drift;
    // Whoever asks does not wait longer for having waited long.
    const isAsked = askedCheck(scope.infrastructure, record) !== undefined;
    if (!release) scope.drift.postponedMs = postponedMs(isAsked ? { ...record, checkedAt: now() } : record, now());
    return release;
  }

  private act(scope: Scope, newest: TerraformRun | undefined): Outcome {
    const { infrastructure, isApplied, drift } = scope;
    const { record, correction } = drift;
    if (scope.isReleased && isApplied) return this.actOnRelease(scope, newest);
    const isUndecided = isDrifted(record) && !correction && !isPlanOpen(scope, 'apply');
    if (isUndecided && infrastructure.spec.drift.policy === 'hold') {
      drift.isOnHold = true;
      if (!isApplied) return this.hold(scope);
    }
    if (isPaused(infrastructure)) return settled;
    if (isUndecided && mayCorrect(scope, newest)) drift.correction = 'policy';
    return this.goOn(scope, drift.correction !== undefined || isToLook(scope, newest));
  }

  /** Does to the cloud what only the release asks for, once it is known that nobody minds. */
  private actOnRelease(scope: Scope, newest: TerraformRun | undefined): Outcome {
    const { drift, infrastructure } = scope;
    if (drift.record.stance !== stanceOf(scope) || wasRefusedSince(scope, newest)) return settled;
    if (isToBeAsked(scope)) {
      drift.isOnHold = true;
      drift.isReleaseHeld = true;
      return settled;
    }
    return isFree(scope) && !isPaused(infrastructure) ? this.goOn(scope, true) : settled;
  }

  private goOn(scope: Scope, isToRun: boolean): Outcome {
    const { drift, stack } = scope;
    const { record } = drift;
    if (isToRun) {
      drift.isOnlyCorrecting = scope.isApplied;
      scope.isApplied = false;
    }
    drift.isApplying = !scope.isApplied;
    if (stack) scope.stack = { ...stack, document: withKept(stack.document, record.drift?.kept ?? []) };
    return settled;
  }

  private hold(scope: Scope): Outcome {
    const { infrastructure, drift } = scope;
    const { drift: found } = drift.record;
    scope.progress = { step: 0, steps: 1, message: 'On hold, because somebody changed the cloud' };
    scope.failure = {
      code: 'OnHold',
      message: `The change waits, because somebody changed the cloud: ${found ? driftSummary(found) : ''}`,
      field: 'spec.drift.policy',
      remedy: `Decide what is to become of it: "crate drift correct" puts it back, "crate drift keep" leaves it as it is`,
      retryable: true,
    };
    return waiting('OnHold', nextLookMs(drift.record, infrastructure, { now: this.parts.now(), ...drift }));
  }
}

function open(scope: InfrastructureScope, record: DriftRecord): Scope {
  return Object.assign(scope, { drift: { record, isOnHold: false, isApplying: false } });
}

/** Whether what nobody asked for was not let through, or, where only the release changes it, broken off, since it was last compared: that is out of date. */
function wasRefusedSince(scope: Scope, newest: TerraformRun | undefined): boolean {
  const { isReleased, isApplied, isUnasked, drift } = scope;
  const { checkedAt, stance } = drift.record;
  const isRefused = newest && (isReleased ? isApplied && isUnbegun(newest) : isUnasked && wasRefused(newest));
  if (!isRefused) return false;
  return (!isReleased && stance !== stanceOf(scope)) || (checkedAt ?? newest.startedAt) <= newest.startedAt;
}

/** Whether what differs is put back because the policy says so, and nothing is known to be in its way. */
function mayCorrect(scope: Scope, newest: TerraformRun | undefined): boolean {
  const { policy } = scope.infrastructure.spec.drift;
  return policy === 'correct' && scope.isApplied && !scope.drift.record.held && !wasRefusedSince(scope, newest);
}

/** Whether a run is to look now that nobody asked for. What was not let through is compared before, and waits for a person if that finds why. */
function isToLook(scope: Scope, newest: TerraformRun | undefined): boolean {
  const { isRunDue, mustLook, stoppedMachines = [], drift } = scope;
  if (!isRunDue || !isFree(scope)) return false;
  if (!wasRefused(newest)) return true;
  const isCompared = !wasRefusedSince(scope, newest);
  const isWaiting = isCompared && drift.record.unasked !== undefined;
  if (isWaiting) drift.isOnHold = true;
  // Only a run sees whether somebody has started them, and takes over what a sweep has found.
  if (stoppedMachines.length > 0 || mustLook) return true;
  return isCompared && !isWaiting && (!isDrifted(drift.record) || mayPutBack(scope));
}

/** Does what somebody decided, as far as it needs no run. */
function decide({ drift, infrastructure, isReleased }: Scope, now: Date): void {
  const { record } = drift;
  const decision = openDecision(infrastructure, record);
  // It stays open until the pause is over.
  if (!decision || !record.drift || isPaused(infrastructure)) return;
  if (decision.action === 'keep') {
    const left = keptDrift(record.drift, now);
    const isSeen = (left?.omitted ?? 0) === 0;
    drift.record = {
      ...{ ...record, drift: left, held: undefined, resolved: decision.value },
      // What waited for this decision alone goes on.
      ...(isReleased ? {} : { unasked: undefined }),
      ...(isSeen ? {} : { stance: undefined }),
    };
    drift.hasKept = true;
    return;
  }
  // From here on nothing is left alone any more, also when this pass dies.
  const { kept: _, ...all } = record.drift;
  drift.record = { ...record, drift: all };
  drift.correction = 'decided';
  drift.decision = decision.value;
}

/** What a comparison is asked for: with another policy, ceiling, spec, or stack of another release its answer may be another one. */
function stanceOf({ infrastructure: { spec, metadata }, isReleased, stack }: InfrastructureScope): string {
  const asked = `${spec.drift.policy} ${spec.maxImpact ?? 'any'} ${metadata.generation}`;
  return isReleased ? `${asked} ${stack?.hash}` : asked;
}
