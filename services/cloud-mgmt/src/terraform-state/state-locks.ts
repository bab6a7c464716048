import type { PlatformError } from '@crate/errors';
import { stateConflict } from '@crate/service-host';

/** Who works on the state of an Infrastructure. */
export interface HeldLock {
  readonly infrastructureUid: string;
  /** Of the run, or as the person's Terraform made it. */
  readonly id: string;
  /** A person holds it, not a run. */
  readonly isByHand: boolean;
  /** Service and host of a run; the person. */
  readonly holder: string;
  /** Such as `apply` or `OperationTypePlan`. */
  readonly operation: string;
  /** What the person's Terraform says of itself. */
  readonly info: string;
  /** Of the pass; undefined for a person. */
  readonly epoch: bigint | undefined;
  readonly since: Date;
  /** When a person's Terraform was last heard of: it took the lock, or stored a state under it. Of a run its own row tells. */
  readonly seenAt: Date;
}

/** Under which circumstances work may be done in quiet. */
export interface Quiet {
  /** The person with the lock of this id must hold it; absent: nobody may. */
  readonly id?: string | undefined;
  /** Asked about the lock of a run: that of a dead one is none. */
  readonly isDead?: (held: HeldLock) => Promise<boolean>;
}

export type LockByHand = Pick<HeldLock, 'infrastructureUid' | 'id' | 'holder' | 'operation' | 'info'>;

/**
 * Locks of Terraform states, at most one for each Infrastructure. Runs take and give them back with `TerraformRunRepository.open` and
 * `close`; here are those of people.
 */
export abstract class StateLocks {
  abstract find(infrastructureUid: string): Promise<HeldLock | undefined>;
  /** All that are held, by runs and people, the oldest first. For people. */
  abstract list(limit: number): Promise<readonly HeldLock[]>;
  /** Locks for a person. Throws Conflict (`StateLocked`) while anybody holds it; asking again with the same id changes nothing. */
  abstract acquire(lock: LockByHand): Promise<void>;
  /** Gives the lock of a person back; without an id whoever's it is. False when there is no such lock. Never ends a run's. */
  abstract release(infrastructureUid: string, id?: string): Promise<boolean>;
  /** Locks of people whose Terraform was not heard of for longer than this. */
  abstract countSilent(silentMs: number): Promise<number>;
  /** How long the oldest lock of a run, or of a person, has been held; 0 when there is none. */
  abstract oldestMs(holder: 'run' | 'person'): Promise<number>;
  /**
   * Does `work` while nobody can take the lock. Conflict (`StateLocked`, `StateNotLocked`) when it is not as `quiet` has it. What it does is
   * not undone when it throws. It gets a fencing epoch above those of all passes so far: what a dead run might still write is refused by it, and
   * so is the work of a process that stood still for so long that passes after it have begun.
   */
  abstract whileQuiet<T>(infrastructureUid: string, quiet: Quiet, work: (epoch: bigint) => Promise<T>): Promise<T>;
}

/** The error that says who holds the lock. */
export function stateLocked({ holder, operation, since, isByHand }: HeldLock): PlatformError {
  const remedy = isByHand
    ? `Wait until ${holder} gives it back, or take it with "crate state unlock" or "terraform force-unlock" when nobody works on it any more`
    : 'Wait until the run is over; the platform takes the lock back by itself when the run has died';
  // Nothing to be tried again at once, other than where two writers met.
  return stateConflict('StateLocked', lockText({ holder, operation, since }), { remedy, retry: 'backoff' });
}

/** Says in one sentence who holds a lock. */
export function lockText({ holder, operation, since }: Pick<HeldLock, 'holder' | 'operation' | 'since'>): string {
  return `The Terraform state is locked by ${holder} for ${operation} since ${since.toISOString()}`;
}

/** The lock id that a person names is not that of the lock. */
export function notTheLock(id: string): PlatformError {
  return stateConflict('StateNotLocked', `The Terraform state is not locked under the id ${JSON.stringify(id)}`, {
    remedy: 'Lock the state first, or name the id that the lock was taken with',
    retry: 'backoff',
  });
}

/** Throws unless the lock is as `StateLocks.whileQuiet` wants it. */
export async function requireQuiet(held: HeldLock | undefined, { id, isDead }: Quiet): Promise<void> {
  if (held && !held.isByHand) {
    if (!(await isDead?.(held))) throw stateLocked(held);
    return;
  }
  if (held && id === undefined) throw stateLocked(held);
  if (held?.id !== id) throw notTheLock(id ?? '');
}
