import type { CloudAccount } from '@crate/api';
import { nameSome, type ConditionTellings, type EventDraft } from '@crate/reconcile';
import type { OwnedResource } from '@crate/infra-aws';
import { ORPHANED_RESOURCES } from './sweep.status.js';

/** What people are told of sweeps. */
export const SWEEP_TELLINGS: ConditionTellings<CloudAccount> = {
  [ORPHANED_RESOURCES]: {
    becameTrue: (_, { reason, message }) => ({
      type: 'Warning',
      reason: reason === 'Found' ? 'OrphanedResourcesFound' : reason,
      message,
    }),
    becameUntrue: (_, { status }) =>
      status === 'False'
        ? { type: 'Normal', reason: 'NoOrphanedResources', message: 'Every resource with tags of Crate has an owner' }
        : undefined,
  },
};

/** What was abandoned is gone. */
export function orphansRemoved(removed: readonly Pick<OwnedResource, 'type' | 'id'>[]): EventDraft {
  const names = nameSome(removed.map(({ type, id }) => `${type} ${id}`));
  return { type: 'Normal', reason: 'OrphansRemoved', message: `Removed what was abandoned: ${names}` };
}
