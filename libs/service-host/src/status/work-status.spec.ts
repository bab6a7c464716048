import { describe, expect, it } from '@jest/globals';
import type { ReplicaReport } from '@crate/api';
import type { HeldKey } from '@crate/work-queue';
import { leaseReport, type WorkReport, workReport } from './work-status.js';

const SEEN = '2026-11-22T18:00:00.000Z';
const HELD: HeldKey = {
  ...{ reconciler: 'cluster', key: { namespace: 'team-a', name: 'demo' }, epoch: 12n, holder: 'lifecycle@one:1' },
  ...{ since: new Date('2026-11-22T17:59:00.000Z'), until: new Date('2026-11-22T18:00:20.000Z'), isCurrent: true },
};

const replica = (name: string, state: ReplicaReport['state']): ReplicaReport =>
  ({ name, state, lastSeen: SEEN }) as ReplicaReport;

describe('a lease', () => {
  it.each([
    { name: 'is live while its holder is', replicas: [replica('lifecycle@one:1', 'Ready')], want: 'live' },
    { name: 'is live while its holder is there', replicas: [replica('lifecycle@one:1', 'NotReady')], want: 'live' },
    {
      name: 'is orphaned when its holder is silent',
      replicas: [replica('lifecycle@one:1', 'Silent')],
      want: 'orphaned',
    },
    { name: 'is orphaned when its holder ended', replicas: [replica('lifecycle@one:1', 'Stopped')], want: 'orphaned' },
    {
      name: 'is orphaned when it is over',
      replicas: [replica('lifecycle@one:1', 'Ready')],
      over: true,
      want: 'orphaned',
    },
    { name: 'is live as long as it lasts when nobody knows its holder', replicas: [], want: 'live' },
    {
      name: 'is live when a process of that name is there, whoever had the name before',
      replicas: [replica('lifecycle@one:1', 'Replaced'), replica('lifecycle@one:1', 'Ready')],
      want: 'live',
    },
  ])('$name', ({ replicas, over = false, want }) => {
    expect(leaseReport({ ...HELD, isCurrent: !over }, replicas).state).toBe(want);
  });

  it('says of what, by whom, since when and under which number', () => {
    expect(leaseReport(HELD, [replica('lifecycle@one:1', 'Ready')])).toEqual({
      ...{ kind: 'Work', task: 'cluster', namespace: 'team-a', name: 'demo', holder: 'lifecycle@one:1' },
      ...{ since: '2026-11-22T17:59:00.000Z', until: '2026-11-22T18:00:20.000Z', lastSeen: SEEN, epoch: '12' },
      state: 'live',
    });
  });
});

describe('queues', () => {
  const COUNTED = { depth: 3, due: 1, oldestWaitMs: 1_249, inWork: 1, retrying: 1, mostAttempts: 4 };
  const report = async (reconcilers: readonly string[]): Promise<WorkReport> => {
    const tally = new Map(['cluster', 'renamed'].map((reconciler) => [reconciler, { reconciler, ...COUNTED }]));
    const overview = { tally: () => Promise.resolve(tally), leases: () => Promise.resolve({ held: [HELD], total: 7 }) };
    return workReport(overview as never, reconcilers);
  };

  it('of reconcilers that only another release has are its own to tell: nobody here would take their keys', async () => {
    expect((await report(['cluster'])).queues.map(({ reconciler }) => reconciler)).toEqual(['cluster']);
  });

  it('are told of reconcilers without a key, too', async () => {
    const { queues, omittedLeases } = await report(['plan', 'cluster']);
    expect(queues).toEqual([
      { reconciler: 'cluster', depth: 3, due: 1, oldestWaitSeconds: 1.2, inWork: 1, retrying: 1, mostAttempts: 4 },
      { reconciler: 'plan', depth: 0, due: 0, oldestWaitSeconds: 0, inWork: 0, retrying: 0, mostAttempts: 0 },
    ]);
    expect(omittedLeases).toBe(6);
  });
});
