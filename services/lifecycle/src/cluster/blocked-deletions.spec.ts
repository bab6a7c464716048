import { describe, expect, it } from '@jest/globals';
import type { Cluster } from '@crate/api';
import { aCluster, ready } from '../testing/a-cluster.js';
import { BlockedDeletions } from './blocked-deletions.js';

function deletingFor(reason: string): Cluster {
  return { ...aCluster(), status: { conditions: [{ ...ready(), type: 'Deleting', reason }] } };
}

describe('blocked deletions', () => {
  it('are counted until they go on, or nobody here looks at them any more', () => {
    let now = 0;
    const blocked = new BlockedDeletions(() => now);
    blocked.note(deletingFor('DeletionRequested'));
    expect(blocked.count).toBe(0);
    blocked.note(deletingFor('DeletionBlocked'));
    blocked.note(deletingFor('DeletionBlocked'));
    expect(blocked.count).toBe(1);
    blocked.note(deletingFor('DeletionRequested'));
    expect(blocked.count).toBe(0);
    blocked.note(deletingFor('DeletionBlocked'));
    now = 121_000;
    expect(blocked.count).toBe(0);
  });
});
