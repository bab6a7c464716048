import { conditionTrue, findCondition, mergeConditions, type CloudAccount, type SweepFinding } from '@crate/api';
import { unavailable } from '@crate/errors';
import { InMemoryEventRecorder } from '@crate/reconcile';
import { InMemoryMetrics } from '@crate/telemetry';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { aContext, InMemoryCloud, NAMESPACE } from '../testing/in-memory-cloud.js';
import type { SweepLook } from './orphan-sweep.js';
import { asking } from './asked-owners.js';
import { planRemovals } from './sweep-brake.js';
import { removals, sweeps } from './sweep-metrics.js';
import { SweepReconciler } from './sweep.reconciler.js';
import { ORPHANED_RESOURCES } from './sweep.status.js';

const KEY = { namespace: NAMESPACE, name: 'sandbox' };
const NOW = new Date('2026-03-01T12:00:00Z');
const MINUTE_MS = 60_000;

const orphan: SweepFinding = {
  type: 'aws_vpc',
  id: 'vpc-1',
  region: 'us-east-1',
  owner: { uid: 'u1' },
  since: '2026-03-01T11:00:00Z',
  decision: 'remove',
  reason: 'OwnerDeleted',
  message: 'Its owner is gone',
};
const lost: SweepFinding = { ...orphan, id: 'vpc-2', decision: 'adopt', reason: 'NotInState' };

let cloud: InMemoryCloud;
let events: InMemoryEventRecorder;
let metrics: InMemoryMetrics;
let findings: SweepFinding[];
let kept: SweepFinding[];
let unanswered: SweepLook['world']['unanswered'];
let failures: { look?: Error; remove?: Error };
let removed: SweepFinding[];
let woken: string[];
let reconciler: SweepReconciler;

function look(account: CloudAccount): SweepLook {
  const question = { findings, own: 100, graceMs: 10 * MINUTE_MS, maxPerPass: 20, now: NOW };
  const plan = planRemovals(account.spec.sweep, question);
  return {
    regions: ['us-east-1'],
    world: { unanswered } as unknown as SweepLook['world'],
    verdict: { findings, kept, own: 100, others: 0 },
    plan: { ...plan, askOwners: asking(plan.askOwners, () => 'run-1') },
    lagMs: 5_000,
  };
}

beforeEach(async () => {
  cloud = new InMemoryCloud();
  events = new InMemoryEventRecorder();
  metrics = new InMemoryMetrics();
  [findings, failures, removed, woken] = [[], {}, [], []];
  [kept, unanswered] = [[], []];
  reconciler = new SweepReconciler({
    accounts: cloud.accounts,
    sweep: {
      look: (account) => (failures.look ? Promise.reject(failures.look) : Promise.resolve(look(account))),
      remove: (_, { plan }) => {
        if (failures.remove) return Promise.reject(failures.remove);
        removed.push(...plan.now);
        return Promise.resolve(plan.now);
      },
    },
    wakeOwners: (uids) => Promise.resolve(void woken.push(...uids)),
    events,
    sweeps: sweeps(metrics),
    removed: removals(metrics),
    now: () => NOW,
  });
  await readyAccount();
});

async function readyAccount(): Promise<void> {
  const account = await cloud.ensureAccount();
  const conditions = mergeConditions([], [conditionTrue('Ready', 'Ready')], { generation: 1, now: NOW });
  await cloud.accounts.saveStatus(account, { conditions });
}

const pass = (): ReturnType<SweepReconciler['reconcile']> => reconciler.reconcile(KEY, aContext());
const account = async (): Promise<CloudAccount> => (await cloud.accounts.find('sandbox', NAMESPACE))!;
const condition = async (): Promise<unknown> => findCondition((await account()).status?.conditions, ORPHANED_RESOURCES);
const told = (): string[] => events.events.map(({ reason }) => reason);

describe('SweepReconciler', () => {
  it('has nothing to do for an account that is gone', async () => {
    expect(await reconciler.reconcile({ ...KEY, name: 'other' }, aContext())).toMatchObject({ isGone: true });
  });

  it('leaves an account alone that cannot be used', async () => {
    await cloud.accounts.saveStatus(await account(), {});
    failures.look = new Error('must not be asked');

    expect(await pass()).toEqual({ kind: 'settled' });
    expect(await condition()).toBeUndefined();
  });

  it('says that everything has an owner, and writes nothing in a second pass', async () => {
    expect(await pass()).toEqual({ kind: 'settled' });
    expect(await condition()).toMatchObject({ status: 'False', reason: 'NoneFound' });
    const before = await cloud.store.currentRevision();
    await pass();

    expect(await cloud.store.currentRevision()).toBe(before);
    expect(told()).toEqual([]);
    expect(metrics.value('crate_sweeps_total', { outcome: 'looked' })).toBe(2);
  });

  it('keeps what others say of the account', async () => {
    await pass();

    expect(findCondition((await account()).status?.conditions, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('has on record what it is about to remove, removes it, and looks again', async () => {
    findings = [orphan];
    expect(await pass()).toEqual({ kind: 'waiting', reason: 'LookingAgain', retryAfterMs: 5_000 });
    expect(removed).toEqual([orphan]);
    expect((await account()).status?.sweep?.findings).toEqual([orphan]);
    expect(told()).toEqual(['OrphanedResourcesFound', 'OrphansRemoved']);

    findings = [];
    expect(await pass()).toEqual({ kind: 'settled' });
    expect(told()).toEqual(['OrphanedResourcesFound', 'OrphansRemoved', 'NoOrphanedResources']);
    expect(metrics.value('crate_orphans_removed_total')).toBe(1);
  });

  it('waits until a finding is old enough', async () => {
    findings = [{ ...orphan, since: '2026-03-01T11:55:00Z' }];

    expect(await pass()).toEqual({ kind: 'waiting', reason: 'Settling', retryAfterMs: 5 * MINUTE_MS });
    expect(removed).toEqual([]);
  });

  it('asks owners on record, and wakes them until they have run', async () => {
    findings = [lost];
    expect(await pass()).toEqual({ kind: 'waiting', reason: 'OwnersAsked', retryAfterMs: 5 * MINUTE_MS });
    expect((await account()).status?.sweep?.findings).toMatchObject([{ id: 'vpc-2', askedAfter: 'run-1' }]);
    const before = await cloud.store.currentRevision();
    await pass();

    expect(woken).toEqual(['u1', 'u1']);
    expect(await cloud.store.currentRevision()).toBe(before);
  });

  it('tells that a removal failed, keeps telling it without a write, and tries again', async () => {
    findings = [orphan];
    failures.remove = unavailable('DependencyViolation: in use');
    expect(await pass()).toMatchObject({ reason: 'RemovalFailed' });
    expect(await condition()).toMatchObject({
      status: 'True',
      reason: 'RemovalFailed',
      message: expect.stringContaining('in use'),
    });
    const before = await cloud.store.currentRevision();
    await pass();
    expect(await cloud.store.currentRevision()).toBe(before);

    delete failures.remove;
    await pass();
    expect(removed).toEqual([orphan]);
  });

  it('names where nobody answered, and never says that there is nothing', async () => {
    unanswered = [{ place: 'me-south-1', message: 'AWS rejected the credentials: AuthFailure', isRefused: true }];
    expect(await pass()).toEqual({ kind: 'settled' });
    expect(await condition()).toMatchObject({
      status: 'Unknown',
      reason: 'ListingFailed',
      message:
        'Nothing found where somebody answered. Not looked at: me-south-1 (AWS rejected the credentials: AuthFailure)',
    });

    kept = [{ ...orphan, id: 'vpc-9', region: 'me-south-1' }];
    findings = [orphan];
    await pass();
    expect(removed).toEqual([orphan]);
    expect((await account()).status?.sweep?.findings.map(({ id }) => id)).toEqual(['vpc-1', 'vpc-9']);
    expect(await condition()).toMatchObject({ status: 'True', message: expect.stringContaining('me-south-1') });
  });

  it('soon asks again where nobody answered, and where somebody refuses with the next sweep', async () => {
    const refusing = { place: 'me-south-1', message: 'AuthFailure', isRefused: true };
    unanswered = [refusing, { place: 'eu-west-1', message: 'AWS does not answer', isRefused: false }];
    expect(await pass()).toEqual({ kind: 'waiting', reason: 'RegionSilent', retryAfterMs: 5 * MINUTE_MS });

    unanswered = [refusing];
    expect(await pass()).toEqual({ kind: 'settled' });
  });

  it('knows nothing while the provider does not list, and forgets nothing', async () => {
    findings = [{ ...orphan, decision: 'report', reason: 'OwnerUnknown' }];
    await pass();
    failures.look = unavailable('AWS does not answer');
    await expect(pass()).rejects.toMatchObject({ code: 'Unavailable' });

    expect(await condition()).toMatchObject({ status: 'Unknown', reason: 'ListingFailed' });
    expect((await account()).status?.sweep?.findings).toHaveLength(1);
    expect(metrics.value('crate_sweeps_total', { outcome: 'failed' })).toBe(1);
  });
});
