import { deletionForcedOf, type Infrastructure, type StateLock } from '@crate/api';
import { isPlatformError } from '@crate/errors';
import { settled, waiting, type EventRecorder, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { DeletionRecords } from '../../deletion/deletion-records.js';
import type { InfrastructureScope } from '../../infrastructure/infrastructure.scope.js';
import type { StateKeeper } from '../../terraform-run/state-keeper.js';
import type { LockView } from '../lock-view.js';
import { isUnreadable, STATE_DAMAGES } from '../state-damage.js';
import { lockText, type HeldLock, type StateLocks } from '../state-locks.js';
import { lockOrphaned } from '../state.events.js';

/** A restored version wakes the pass; this is in case the news was lost. */
const DAMAGED_LOOK_AGAIN_MS = 60_000;
/** The same of a lock that is given back. */
const LOCKED_LOOK_AGAIN_MS = 15_000;

export interface StatePhaseParts {
  readonly states: Pick<StateKeeper, 'open'>;
  readonly locks: Pick<StateLocks, 'find'>;
  readonly view: Pick<LockView, 'of'>;
  readonly records: Pick<DeletionRecords, 'isWritten'>;
  readonly events: Pick<EventRecorder, 'record'>;
}

/** Looks who works on the state, and that it is the one that was stored last. First of all: nothing is done on another one. */
export class StatePhase {
  constructor(private readonly parts: StatePhaseParts) {}

  readonly run = async (scope: InfrastructureScope, { epoch }: ReconcileContext): Promise<Outcome> => {
    const { metadata } = scope.infrastructure;
    const held = await this.parts.locks.find(metadata.uid);
    if (held) await this.show(scope, held, epoch);
    try {
      const stored = await this.parts.states.open(metadata.uid, await this.knownSerial(scope.infrastructure));
      // A deletion reads it by itself once it has waited: hundreds that wait would hold as many states, secrets and all.
      if (metadata.deletionTimestamp === undefined) scope.stored = stored;
      return settled;
    } catch (error) {
      if (!deletionForcedOf(scope.infrastructure) || !isUnreadable(error)) return damage(scope, error);
      scope.isStateLost = true;
      return settled;
    }
  };

  /** A deletion that died after it had forgotten the state finds none, as it should. */
  private async knownSerial(infrastructure: Infrastructure): Promise<number | undefined> {
    const { metadata, status } = infrastructure;
    const isGoing = metadata.deletionTimestamp !== undefined;
    return isGoing && (await this.parts.records.isWritten(infrastructure)) ? undefined : status?.stateSerial;
  }

  private async show(scope: InfrastructureScope, held: HeldLock, epoch: bigint): Promise<void> {
    const { infrastructure } = scope;
    const lock = await this.parts.view.of(held, epoch);
    scope.lock = lock;
    scope.isLockedByHand = held.isByHand;
    // Before this pass may have to wait for the holder to end.
    if (held.isByHand || lock.state === 'live') return scope.report();
    const { lock: shown } = infrastructure.status ?? {};
    if (shown?.state === 'orphaned' && shown.epoch === lock.epoch) return;
    this.parts.events.record(infrastructure, lockOrphaned(lock));
    // The lock is taken over at once: nobody would see it in a report.
    await scope.persist();
  }
}

/** Does nothing to the cloud while a person holds the lock, unless there is nothing to do. */
export function stateLockPhase(scope: InfrastructureScope): Promise<Outcome> {
  const { lock, isLockedByHand, isApplied } = scope;
  if (!lock || !isLockedByHand || isApplied) return Promise.resolve(settled);
  scope.failure = {
    code: 'StateLocked',
    message: lockText({ ...lock, since: new Date(lock.since) }),
    remedy: unlockRemedy(lock),
    retryable: true,
  };
  return Promise.resolve(waiting('StateLocked', LOCKED_LOOK_AGAIN_MS));
}

function unlockRemedy({ holder, state, lastSeen = '' }: StateLock): string {
  return state === 'live'
    ? `Wait until ${holder} gives the lock back, or take it with "crate state unlock" when nobody works on it any more`
    : `The lock is orphaned, nothing was heard of its holder since ${lastSeen}: take it with "crate state unlock"`;
}

function damage(scope: InfrastructureScope, error: unknown): Outcome {
  const { reason = '', remedy } = isPlatformError(error) ? error.details : {};
  if (!isPlatformError(error) || !STATE_DAMAGES.includes(reason)) throw error;
  scope.failure = { code: reason, message: error.message, retryable: false, ...(remedy ? { remedy } : {}) };
  return waiting(reason, DAMAGED_LOOK_AGAIN_MS);
}
