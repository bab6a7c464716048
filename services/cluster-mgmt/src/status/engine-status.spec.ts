import type { Foundation } from '@crate/service-host';
import { describe, expect, it } from '@jest/globals';
import { engineLiveness } from '../engine/engine-liveness.js';
import { InMemoryEngineRunRepository } from '../engine/in-memory-engine-run.repository.js';
import { engineLocks } from '../engine-state/engine-lock-view.js';
import { engineStatus } from './engine-status.js';

/** Knows one cluster, which a pass works on or not. */
function foundation(position: number | undefined): Pick<Foundation, 'database' | 'queue'> {
  const rows = (): Promise<readonly object[]> => Promise.resolve([{ uid: 'u1', namespace: 'team-a', name: 'demo' }]);
  return { database: { rows }, queue: { position: () => Promise.resolve(position) } } as unknown as Foundation;
}

describe('what cluster-mgmt tells of itself', () => {
  it.each([
    { name: 'a run whose cluster a pass works on is live', position: 0, state: 'live' },
    { name: 'a run that no pass works on any more is orphaned', position: undefined, state: 'orphaned' },
  ])('$name', async ({ position, state }) => {
    const runs = new InMemoryEngineRunRepository();
    await runs.open({ id: 'r1', clusterUid: 'u1', kind: 'up', configHash: '', epoch: 7n, workspace: '' });
    const parts = foundation(position);
    const status = engineStatus(
      parts,
      runs,
      engineLocks(parts, { runs, liveness: engineLiveness(runs, { leaseMs: 30_000, graceMs: 4000 }) }),
    );
    expect(await status.runs?.()).toMatchObject([
      { program: 'rke', operation: 'up', namespace: 'team-a', name: 'demo', epoch: '7', state },
    ]);
    await runs.close('r1', 'succeeded');
    expect(await status.runs?.()).toEqual([]);
  });
});
