import type { StateLock } from '@crate/api';
import type { EventDraft } from '@crate/reconcile';
import type { StateRestored } from '@crate/service-host';
import type { StateChange } from './state.subresources.js';

/** An older version of the state was put in place. */
export function stateRestored({ from, serial, by, reason }: StateRestored): EventDraft {
  const message = `${by} restored version ${from} of the Terraform state as version ${serial}: ${reason}`;
  return { type: 'Warning', reason: 'StateRestored', message };
}

const REASONS = { pushed: 'StatePushed', locked: 'StateLocked', unlocked: 'StateUnlocked' } as const;

/** A person works on the state by hand. */
export function stateChanged({ what, by, detail }: StateChange): EventDraft {
  const object = what === 'pushed' ? 'a Terraform state' : 'the Terraform state';
  return {
    type: 'Warning',
    reason: REASONS[what],
    message: `${by} ${what} ${object}${detail === '' ? '' : ` ${detail}`}`,
  };
}

/** The run that held the lock has died. */
export function lockOrphaned({ holder, operation, since }: StateLock): EventDraft {
  return {
    type: 'Warning',
    reason: 'StateLockOrphaned',
    message: `The run that ${holder} held the lock with, for ${operation} since ${since}, has died; the platform takes over`,
  };
}
