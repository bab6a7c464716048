import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { conditionFalse, conditionTrue, mergeConditions, type Plan } from '@crate/api';
import type { ApiClient } from '../client/api-client.js';
import { rejectPlan } from './plans.js';

const NAME = { name: 'grow', namespace: 'team-a', output: 'text' } as const;

let printed = '';
beforeEach(() => {
  printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** A plan that stands like this, and what is deleted of it. */
function api(reason: string): { get: () => Promise<never>; removeExisting: jest.Mock<ApiClient['removeExisting']> } {
  const state = reason === 'Ready' ? conditionTrue('Ready', reason) : conditionFalse('Ready', reason, '');
  const plan = {
    metadata: { name: 'grow', namespace: 'team-a', uid: 'u1' },
    spec: { clusterRef: { name: 'demo' } },
    status: { conditions: mergeConditions([], [state], { generation: 1, now: new Date(0) }) },
  } as unknown as Plan;
  return {
    get: () => Promise.resolve(plan as never),
    removeExisting: jest.fn<ApiClient['removeExisting']>(() => Promise.resolve()),
  };
}

describe('rejectPlan', () => {
  it('deletes the very plan, and says what stays', async () => {
    const client = api('Ready');
    await rejectPlan(client, NAME);
    const path = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/plans/grow';
    expect(client.removeExisting).toHaveBeenCalledWith(path, { uid: 'u1' });
    expect(printed).toBe('Plan "grow" is rejected; cluster "demo" stays as it is\n');
  });

  it.each(['Approved', 'Executing', 'Executed', 'Failed'])('leaves one alone that is %s', async (reason) => {
    const client = api(reason);
    await expect(rejectPlan(client, NAME)).rejects.toMatchObject({
      code: 'Conflict',
      details: { remedy: 'To take it out of the list: crate delete plan grow -n team-a' },
    });
    expect(client.removeExisting).not.toHaveBeenCalled();
  });
});
