import { findCondition, isConditionTrue, type CloudAccount, type SweepFinding } from '@crate/api';
import {
  gone,
  isInterruption,
  recordPass,
  Reconciler,
  saveStatusIfChanged,
  settled,
  SilentEventRecorder,
  waiting,
  type EventRecorder,
  type Outcome,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { Counter } from '@crate/telemetry';
import type { OrphanSweep, SweepLook } from './orphan-sweep.js';
import { SWEEP_TELLINGS, orphansRemoved } from './sweep.events.js';
import { ORPHANED_RESOURCES, sweptStatus, unsweptStatus, type SweepFacts } from './sweep.status.js';

/** Name of the reconciler, and with it of its queue. */
export const SWEEP_RECONCILER = 'sweep';
/** After this a removal that did not work and a region that was silent are tried again, and what owners were asked for is looked at; the next sweep may be long off. */
const TRY_AGAIN_MS = 5 * 60_000;

export interface SweepReconcilerParts {
  readonly accounts: TypedClient<CloudAccount>;
  readonly sweep: Pick<OrphanSweep, 'look' | 'remove'>;
  /** Makes Infrastructures due, by uid. */
  readonly wakeOwners: (uids: readonly string[]) => Promise<void>;
  readonly events?: EventRecorder;
  /** Sweeps, by `outcome`. */
  readonly sweeps: Counter;
  readonly removed: Counter;
  readonly now?: () => Date;
}

/** Keeps an account free of resources that nobody owns. Safe to interrupt and repeat. */
export class SweepReconciler extends Reconciler {
  override readonly name = SWEEP_RECONCILER;

  constructor(private readonly parts: SweepReconcilerParts) {
    super();
  }

  override async reconcile(key: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    const account = await this.parts.accounts.find(key.name, key.namespace);
    if (!account) return gone;
    if (account.metadata.deletionTimestamp) return settled;
    // Looked at again when that changes, which makes the key due.
    if (!isConditionTrue(account.status?.conditions, 'Ready')) return settled;

    const look = await this.look(account, context);
    const after = await this.record(account, look, context);
    await this.parts.wakeOwners(outstanding(after));
    if (look.plan.now.length > 0) return this.remove(after, look, context);
    return lookAgain(look, after);
  }

  private async look(account: CloudAccount, context: ReconcileContext): Promise<SweepLook> {
    try {
      const look = await this.parts.sweep.look(account, context.remoteSignal);
      this.parts.sweeps.add(1, { outcome: 'looked' });
      return look;
    } catch (error) {
      // A restart is no fault of the account.
      if (isInterruption(error)) throw error;
      this.parts.sweeps.add(1, { outcome: 'failed' });
      await saveStatusIfChanged(this.parts.accounts, account, unsweptStatus(account, error, this.now()));
      throw error;
    }
  }

  /** What is to be done is on record before it is done. */
  private async record(account: CloudAccount, look: SweepLook, context: ReconcileContext): Promise<CloudAccount> {
    const { plan } = look;
    const facts = { ...seenIn(look), asked: plan.askOwners, held: plan.held };
    const status = sweptStatus(account, facts, this.now());
    // A removal that failed stays told until there is nothing to remove any more, or it works.
    const failed = findCondition(account.status?.conditions, ORPHANED_RESOURCES)?.reason === 'RemovalFailed';
    const isStillFailing = failed && plan.now.length > 0;
    const kept = isStillFailing ? { ...status, conditions: account.status?.conditions ?? [] } : status;
    return this.save(account, kept, context);
  }

  private async remove(account: CloudAccount, look: SweepLook, context: ReconcileContext): Promise<Outcome> {
    try {
      const removed = await this.parts.sweep.remove(account, look, context);
      this.parts.removed.add(removed.length);
      if (removed.length > 0) {
        this.events.record(account, { ...orphansRemoved(removed), traceId: context.traceId });
      }
    } catch (error) {
      if (isInterruption(error)) throw error;
      const facts = { ...seenIn(look), asked: [], held: undefined, failure: error };
      await this.save(account, sweptStatus(account, facts, this.now()), context);
      return waiting('RemovalFailed', TRY_AGAIN_MS);
    }
    return waiting('LookingAgain', look.lagMs);
  }

  private async save(
    before: CloudAccount,
    status: NonNullable<CloudAccount['status']>,
    { traceId }: ReconcileContext,
  ): Promise<CloudAccount> {
    const after = await saveStatusIfChanged(this.parts.accounts, before, status);
    recordPass(this.events, SWEEP_TELLINGS, { before, after, pass: { ok: true, outcome: settled }, traceId });
    return after;
  }

  private get events(): EventRecorder {
    return this.parts.events ?? new SilentEventRecorder();
  }

  private now(): Date {
    return this.parts.now?.() ?? new Date();
  }
}

function lookAgain({ plan: { settlesInMs }, world }: SweepLook, after: CloudAccount): Outcome {
  if (settlesInMs !== undefined) return waiting('Settling', settlesInMs);
  if (outstanding(after).length > 0) return waiting('OwnersAsked', TRY_AGAIN_MS);
  const isSilent = world.unanswered.some(({ isRefused }) => !isRefused);
  return isSilent ? waiting('RegionSilent', TRY_AGAIN_MS) : settled;
}

function seenIn({
  regions,
  world,
  verdict,
}: SweepLook): Pick<SweepFacts, 'regions' | 'unanswered' | 'findings' | 'kept'> {
  const { findings, kept } = verdict;
  return { regions, unanswered: world.unanswered, findings, kept };
}

/** Owners that were asked and have not run since. */
function outstanding({ status }: CloudAccount): readonly string[] {
  const findings: readonly SweepFinding[] = status?.sweep?.findings ?? [];
  return [...new Set(findings.filter(({ askedAfter }) => askedAfter !== undefined).map(({ owner }) => owner.uid))];
}
