import { beforeEach, describe, expect, it } from '@jest/globals';
import { PhaseBench } from '../../testing/phase-bench.js';
import { openScope } from '../infrastructure.scope.js';
import { ForgetPhase } from './forget.phase.js';

let bench: PhaseBench;
beforeEach(() => {
  bench = new PhaseBench();
});

describe('ForgetPhase', () => {
  it('removes the state last', async () => {
    const scope = openScope(await bench.cloud.ensureInfrastructure());
    const { uid } = scope.infrastructure.metadata;
    await bench.storeState(uid, []);
    await new ForgetPhase(bench.executor, bench.cloud.secrets, bench.clouds).run(scope);

    expect(bench.executor.forgotten).toEqual([uid, `leftovers-${uid}`]);
    expect(await bench.cloud.secrets.countOwners()).toBe(0);
  });
});
