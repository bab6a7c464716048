import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { conditionFalse, conditionTrue, mergeConditions, type Plan } from '@crate/api';
import { conflict, forbidden, unavailable } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { approvePlan, rejectPlan } from './plans.js';

const NAME = {
  name: 'grow',
  namespace: 'team-a',
  output: 'text',
  apiFlags: ' --context staging',
  timeoutMs: 60_000,
} as const;

const FAILED = mergeConditions([], [conditionFalse('Ready', 'Failed', '')], { generation: 1, now: new Date(0) });

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
function api(
  reason: string,
  annotations: Record<string, string> = {},
): { get: () => Promise<never>; removeExisting: jest.Mock<ApiClient['removeExisting']> } {
  const state = reason === 'Ready' ? conditionTrue('Ready', reason) : conditionFalse('Ready', reason, '');
  const plan = {
    metadata: { name: 'grow', namespace: 'team-a', uid: 'u1', resourceVersion: '7', annotations },
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
    expect(client.removeExisting).toHaveBeenCalledWith(path, { uid: 'u1', resourceVersion: '7' });
    expect(printed).toBe('Plan "grow" is rejected; cluster "demo" stays as it is\n');
  });

  it.each(['Approved', 'Executing', 'Executed', 'Failed'])('leaves one alone that is %s', async (reason) => {
    const client = api(reason);
    await expect(rejectPlan(client, NAME)).rejects.toMatchObject({
      code: 'Conflict',
      details: { remedy: 'To take it out of the list: crate delete plan grow -n team-a --context staging' },
    });
    expect(client.removeExisting).not.toHaveBeenCalled();
  });
});

describe('a plan that somebody approves just now', () => {
  it('is not rejected before its condition says so', async () => {
    const client = api('Ready', { 'lifecycle.crate.dev/approved-by': '2026-05-01T12:00:00Z bob' });
    await expect(rejectPlan(client, NAME)).rejects.toMatchObject({
      code: 'Conflict',
      message: 'Plan "grow" cannot be rejected: it is Approved',
    });
    expect(client.removeExisting).not.toHaveBeenCalled();
  });

  it('is not rejected between the look and the deletion', async () => {
    const client = api('Ready');
    client.removeExisting.mockRejectedValue(conflict('Precondition failed'));
    await expect(rejectPlan(client, NAME)).rejects.toMatchObject({
      code: 'Conflict',
      message: 'Plan "grow" was changed meanwhile',
      details: { remedy: 'See how it stands now: crate plan show grow -n team-a --context staging' },
    });
    expect(printed).toBe('');
  });
});

describe('approvePlan', () => {
  it('says what it approves, and approves none that took its place', async () => {
    const found = {
      ...((await api('Ready').get()) as object),
      status: { conditions: [], summary: '1 to destroy', plannedBy: 'ada' },
    };
    const create = jest.fn<ApiClient['create']>(() => Promise.resolve(found as never));
    const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await approvePlan({ get: async () => found, create } as unknown as ApiClient, { ...NAME, wait: false });
    expect(said).toHaveBeenCalledWith('Approving plan "grow", which ada made: 1 to destroy');
    expect(create).toHaveBeenCalledWith(expect.stringMatching(/grow\/approve$/), { uid: 'u1' });
  });
  it.each([
    { output: 'text', want: 'Plan "grow" is Failed' },
    { output: 'json', want: 'Plan "grow" is Failed: The cloud said no' },
  ] as const)('says once why it failed, as $output', async ({ output, want }) => {
    const end = { phase: 'Failed', reason: 'Failed', message: 'The cloud said no', at: '2026-05-01T12:00:00Z' };
    const plan = { ...((await api('Failed').get()) as object), status: { conditions: FAILED, end } } as unknown as Plan;
    const client = { create: async () => plan, get: async () => plan } as unknown as ApiClient;
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await expect(approvePlan(client, { ...NAME, output, wait: true })).rejects.toMatchObject({ message: want });
    expect(printed).toContain('The cloud said no');
  });
  it('waits over a moment in which the platform is away, and ends at what no waiting mends', async () => {
    const end = { phase: 'Executed', reason: 'Executed', message: 'Done', at: '2026-05-01T12:00:00Z' };
    const plan = { ...((await api('Executed').get()) as object), status: { conditions: [], end } } as unknown as Plan;
    const get = jest
      .fn<() => Promise<Plan>>()
      .mockResolvedValueOnce(plan)
      .mockRejectedValueOnce(unavailable('away'))
      .mockResolvedValue(plan);
    const client = { create: async () => plan, get } as unknown as ApiClient;
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await approvePlan(client, { ...NAME, wait: true });
    expect(get).toHaveBeenCalledTimes(3);
    get.mockResolvedValueOnce(plan).mockRejectedValueOnce(forbidden('no'));
    await expect(approvePlan(client, { ...NAME, wait: true })).rejects.toMatchObject({ code: 'Forbidden' });
  });
});
