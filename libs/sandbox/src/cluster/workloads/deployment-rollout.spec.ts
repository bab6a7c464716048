import { describe, expect, it } from '@jest/globals';
import type { Deployment } from '../kinds/workloads.js';
import { planRollout, resolveCount, type RolloutSet } from './deployment-rollout.js';

function spec(replicas: number, change: Readonly<Record<string, unknown>> = {}): Deployment['spec'] {
  return { replicas, strategy: { type: 'RollingUpdate' }, ...change } as unknown as Deployment['spec'];
}

function set(name: string, desired: number, available = desired): RolloutSet {
  return { name, isCurrent: name === 'new', desired, running: desired, available };
}

describe('planRollout', () => {
  it.each([
    { name: 'a first rollout starts all', given: [spec(3), [set('new', 0)]] as const, want: { new: 3 } },
    {
      name: 'a second one adds what the surge allows and keeps the old until the new is available',
      given: [spec(4), [set('new', 0), set('old', 4)]] as const,
      want: { new: 1, old: 3 },
    },
    {
      name: 'pods that are not available yet hold the old ones back',
      given: [spec(4), [set('new', 2, 0), set('old', 3)]] as const,
      want: { new: 2, old: 3 },
    },
    {
      name: 'pods that became available let old ones go',
      given: [spec(4), [set('new', 2, 2), set('old', 3)]] as const,
      want: { new: 2, old: 1 },
    },
    {
      name: 'the last old ones go',
      given: [spec(4), [set('new', 4), set('old', 1)]] as const,
      want: { new: 4, old: 0 },
    },
    {
      name: 'one pod is replaced without a gap',
      given: [spec(1), [set('new', 0), set('old', 1)]] as const,
      want: { new: 1, old: 1 },
    },
    {
      name: 'old pods that never became available go first',
      given: [spec(2), [set('new', 1, 0), set('old', 2, 0)]] as const,
      want: { new: 1, old: 2 },
    },
    { name: 'scaling down takes from the current', given: [spec(1), [set('new', 5)]] as const, want: { new: 1 } },
    {
      name: 'recreate waits until the old ones are gone',
      given: [spec(2, { strategy: { type: 'Recreate' } }), [set('new', 0), set('old', 2)]] as const,
      want: { new: 0, old: 0 },
    },
    {
      name: 'recreate then starts the new ones',
      given: [spec(2, { strategy: { type: 'Recreate' } }), [set('new', 0), set('old', 0)]] as const,
      want: { new: 2, old: 0 },
    },
    {
      name: 'a paused one still scales',
      given: [spec(5, { paused: true }), [set('old', 2)]] as const,
      want: { old: 5 },
    },
  ])('$name', ({ given: [deployment, sets], want }) => {
    expect(Object.fromEntries(planRollout(deployment, sets))).toEqual(want);
  });

  it('ends at the wanted state from any state, within its limits at every step', () => {
    for (let replicas = 1; replicas <= 6; replicas += 1) {
      for (let old = 0; old <= 6; old += 1) {
        let sets = [set('new', 0), set('old', old)];
        for (let step = 0; step < 30; step += 1) {
          const plan = planRollout(spec(replicas), sets);
          // What is started becomes available before the next step; what is stopped is gone.
          sets = sets.map(({ name }) => set(name, plan.get(name) ?? 0));
          const total = sets.reduce((sum, { desired }) => sum + desired, 0);
          const limit = Math.max(replicas + resolveCount('25%', replicas, Math.ceil), old);
          expect(total).toBeLessThanOrEqual(limit);
        }
        expect(sets.map(({ desired }) => desired)).toEqual([replicas, 0]);
      }
    }
  });
});
