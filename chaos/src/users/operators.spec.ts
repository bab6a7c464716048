import { describe, expect, it } from '@jest/globals';
import type { ApiRequest } from '../platform/api-client.js';
import { anObject } from '../testing/a-world.js';
import type { KubeObject } from '../world/kube-object.js';
import { Asking } from './asking.js';
import { Operators } from './operators.js';

const DRIFT = { digest: 'd1' };

/** What people do who look so often at a cluster, while plans are so far at each look. */
async function decisionsOn(cluster: KubeObject, ...phases: readonly string[]): Promise<readonly unknown[]> {
  const done: unknown[] = [];
  const send = (request: ApiRequest): Promise<{ status: number; body: KubeObject; text: string }> => {
    if (request.method === 'PATCH') done.push(request.body);
    return Promise.resolve({ status: 200, body: { ...anObject('List'), items: [cluster] } as KubeObject, text: '' });
  };
  const planner = {
    make: (name: string, _plan: string, wish: object): Promise<boolean> => (
      done.push({ name, ...wish }),
      Promise.resolve(true)
    ),
    follow: (): Promise<string> => Promise.resolve(left.shift() ?? 'Executed'),
  };
  const left = [...phases];
  const operators = new Operators(new Asking({ send }), planner);
  for (let look = 0; look <= phases.length; look += 1) await operators.decide();
  return done;
}

function inSync(reason: string, policy = 'hold'): KubeObject {
  const conditions = [{ type: 'InSync', status: 'False', reason }];
  return anObject('Cluster', { spec: { drift: { policy } }, status: { conditions, drift: DRIFT } });
}

function leaving(reason: string): KubeObject {
  const { metadata } = anObject('Cluster');
  const gone = { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
  return anObject('Cluster', { metadata: gone, status: { deletion: { blockers: [{ reason }] } } });
}

const putBack = { metadata: { annotations: { 'lifecycle.crate.dev/resolve-drift': 'correct-d1' } } };

describe('operators', () => {
  it.each([
    { reason: 'a change is on hold', cluster: inSync('OnHold') },
    { reason: 'it is only reported', cluster: inSync('Drifted', 'observe') },
    { reason: 'it may not go by itself', cluster: inSync('CorrectionHeld', 'correct') },
  ])('have what differs put back where $reason', async ({ cluster }) => {
    expect(await decisionsOn(cluster)).toEqual([putBack]);
  });

  it.each([
    { reason: 'a drift that is put back by itself', cluster: inSync('Drifted', 'correct') },
    { reason: 'a deletion that waits for something else', cluster: leaving('VolumeUndecided') },
    { reason: 'a cluster that is well', cluster: anObject('Cluster') },
    {
      reason: 'a drift that they decided about',
      cluster: { ...inSync('OnHold'), metadata: { ...anObject('Cluster').metadata, ...putBack.metadata } },
    },
  ])('leave $reason alone', async ({ cluster }) => {
    expect(await decisionsOn(cluster)).toEqual([]);
  });

  it.each([
    { reason: 'its spec, where nobody asked for a run', cluster: inSync('RunHeld'), wish: { changes: {} } },
    {
      reason: 'its spec, where the world of a plan has moved',
      cluster: anObject('Cluster', { status: { failure: { code: 'PlanOutdated' } } }),
      wish: { changes: {} },
    },
    { reason: 'its deletion, where its world has moved', cluster: leaving('PlanOutdated'), wish: { destroy: true } },
  ])('plan $reason, and anew once that has ended', async ({ cluster, wish }) => {
    const plan = { name: 'demo', ...wish };
    expect(await decisionsOn(cluster, 'Pending', 'Ready', 'Executing')).toEqual([plan]);
    expect(await decisionsOn(cluster, 'Pending', 'Failed')).toEqual([plan, plan]);
  });
});
