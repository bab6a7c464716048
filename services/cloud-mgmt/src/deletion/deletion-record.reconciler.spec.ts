import { beforeEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '@crate/errors';
import { findCondition, type AbandonedResource, type DeletionRecord } from '@crate/api';
import { InMemoryEventRecorder, type Outcome } from '@crate/reconcile';
import type { OwnedResource } from '@crate/infra-aws';
import { CloudProviders } from '../provider/cloud-providers.js';
import { credentialsRejected, permissionMissing } from '../provider/credentials-rejected.js';
import { aContext, InMemoryCloud, NAMESPACE } from '../testing/in-memory-cloud.js';
import { DeletionRecordReconciler } from './deletion-record.reconciler.js';

const DAY_MS = 86_400_000;
const DELETED_AT = '2026-01-31T12:00:00Z';
const VPC: AbandonedResource = { kind: 'aws_vpc', name: 'vpc-1', region: 'us-east-1' };
const LISTED: OwnedResource = { type: 'aws_vpc', id: 'vpc-1', importId: 'vpc-1', tags: {} };

let cloud: InMemoryCloud;
let events: InMemoryEventRecorder;
let accountId: string;
let now: Date;
beforeEach(async () => {
  cloud = new InMemoryCloud();
  events = new InMemoryEventRecorder();
  ({ accountId } = (await cloud.ensureAccount()).spec);
  now = new Date('2026-02-01T12:00:00Z');
});

interface Proof {
  readonly inventoryEmptyAt?: string;
  readonly keptVolumes?: string[];
}

async function have(abandoned: readonly AbandonedResource[], account: object = {}, proof: Proof = {}): Promise<void> {
  const spec = {
    infrastructure: { name: 'demo', uid: 'i-1' },
    cluster: { name: 'demo', uid: 'c-1' },
    account: { name: 'sandbox', id: accountId, ...account },
    provider: 'sandbox-aws',
    region: 'us-east-1',
    requestedAt: DELETED_AT,
    deletedAt: DELETED_AT,
    proof: { tag: 'crate.dev/infrastructure-uid=i-1', abandoned: [...abandoned], ...proof },
  };
  await cloud.records.ensure({ metadata: { name: 'demo-i-1', namespace: NAMESPACE }, spec }, 'test');
}

function pass(attempts = 0, providers = cloud.providers): Promise<Outcome> {
  const reconciler = new DeletionRecordReconciler({
    records: cloud.records,
    accounts: cloud.accounts,
    providers,
    credentials: cloud.credentials,
    keptMs: 90 * DAY_MS,
    watchEveryMs: 3_600_000,
    events,
    now: () => now,
  });
  return reconciler.reconcile({ namespace: NAMESPACE, name: 'demo-i-1' }, aContext({ attempts }));
}

const find = (): Promise<DeletionRecord | undefined> => cloud.records.find('demo-i-1', NAMESPACE);
const clean = async (): Promise<string> => {
  const found = findCondition((await find())?.status?.conditions, 'Clean');
  return `${found?.status} ${found?.reason}`;
};

describe('the record of a deletion', () => {
  it('is kept for its time when nothing was left, and asks nobody', async () => {
    await have([], {}, { inventoryEmptyAt: DELETED_AT });
    expect(await pass()).toEqual({ kind: 'waiting', reason: 'Kept', retryAfterMs: DAY_MS });
    expect(await clean()).toBe('True NothingLeft');
    expect(cloud.provider.accesses).toEqual([]);
    const revision = await cloud.store.currentRevision();
    await pass();
    expect(await cloud.store.currentRevision()).toBe(revision);

    now = new Date('2026-05-01T12:00:00Z');
    expect(await pass()).toEqual({ kind: 'settled', isGone: true });
    expect(await find()).toBeUndefined();
  });

  it('says nothing of what nobody could look for, until somebody can', async () => {
    await have([]);
    cloud.provider.failure = credentialsRejected('AWS rejected the credentials: AuthFailure');
    now = new Date('2027-01-01T00:00:00Z');
    expect(await pass()).toMatchObject({ reason: 'WatchingWhatIsLeft', retryAfterMs: 3_600_000 });
    expect(await clean()).toBe('Unknown NotSeen');
    const unseen = await find();
    expect(unseen?.status).toMatchObject({ unseenSince: '2027-01-01T00:00:00Z' });
    expect(unseen?.status).not.toHaveProperty('present');

    cloud.provider.failure = undefined;
    now = new Date('2026-02-02T12:00:00Z');
    expect(await pass()).toMatchObject({ reason: 'Kept' });
    expect(await clean()).toBe('True NothingLeft');
    // Somebody has looked: that the account goes afterwards takes nothing back.
    cloud.provider.failure = credentialsRejected('AWS rejected the credentials: AuthFailure');
    expect(await pass()).toMatchObject({ reason: 'Kept' });
    expect(await clean()).toBe('True NothingLeft');
    expect((await find())?.status).not.toHaveProperty('unseenSince');
  });

  it('watches what the cluster itself left, once somebody can look for it', async () => {
    await have([VPC], {}, { keptVolumes: ['vol-kept'] });
    const volume = { type: 'aws_ebs_volume', id: 'vol-1', importId: 'vol-1', tags: {} };
    cloud.provider.owned = [volume, { ...volume, id: 'vol-kept' }];
    await pass();
    const left = { kind: 'aws_ebs_volume', name: 'vol-1', account: accountId, region: 'us-east-1' };
    const gone = { ...VPC, state: 'Gone', goneAt: '2026-02-01T12:00:00Z' };
    expect((await find())?.status).toMatchObject({ present: 1, watched: [gone, { ...left, state: 'Present' }] });
    expect(await clean()).toBe('False LeftBehind');

    cloud.provider.owned = [];
    expect(await pass()).toMatchObject({ reason: 'Kept' });
    expect((await find())?.status).toMatchObject({
      present: 0,
      watched: [gone, { ...left, ...gone, kind: left.kind, name: left.name }],
    });
  });

  it('is never dropped while something that was left is there, and says when it is gone', async () => {
    await have([VPC]);
    cloud.provider.owned = [LISTED];
    now = new Date('2027-01-01T00:00:00Z');
    expect(await pass()).toMatchObject({ kind: 'waiting', reason: 'WatchingWhatIsLeft', retryAfterMs: 3_600_000 });
    expect((await find())?.status).toMatchObject({ present: 1, watched: [{ ...VPC, state: 'Present' }] });
    expect(await clean()).toBe('False LeftBehind');

    cloud.provider.owned = [];
    await pass();
    expect(events.events).toMatchObject([{ reason: 'AbandonedGone', message: expect.stringContaining('vpc-1') }]);
    expect(await find()).toBeUndefined();
  });

  it('keeps when it was found gone', async () => {
    await have([VPC]);
    await pass();
    const gone = { ...VPC, state: 'Gone', goneAt: '2026-02-01T12:00:00Z' };
    expect((await find())?.status).toMatchObject({ present: 0, watched: [gone] });
    now = new Date('2026-02-02T12:00:00Z');
    await pass();
    expect((await find())?.status?.watched).toEqual([gone]);
    expect(events.reasons).toHaveLength(1);
  });

  it.each([
    ['the account is gone', { name: 'other' }, undefined],
    ['the account of that name is another one', { id: '999999999999' }, undefined],
    ['the account is closed', {}, credentialsRejected('AWS rejected the credentials: AuthFailure')],
    ['its key may not look any more', {}, permissionMissing('tag:GetResources', 'AccessDenied')],
  ])('does not take it for gone when %s', async (_why, account, failure) => {
    await have([VPC], account);
    cloud.provider.failure = failure;
    now = new Date('2027-01-01T00:00:00Z');
    expect(await pass()).toMatchObject({ reason: 'WatchingWhatIsLeft', retryAfterMs: 3_600_000 });
    expect((await find())?.status?.present).toBe(1);
    expect(await clean()).toBe('Unknown NotSeen');
  });

  it('asks again soon when nobody answers, and takes it for more than a moment only then', async () => {
    await have([VPC]);
    cloud.provider.owned = [LISTED];
    await pass();
    cloud.provider.failure = unavailable('AWS does not answer (ENOTFOUND)');
    await expect(pass(2)).rejects.toMatchObject({ code: 'Unavailable' });
    expect(await clean()).toBe('False LeftBehind');

    expect(await pass(3)).toMatchObject({ reason: 'WatchingWhatIsLeft', retryAfterMs: 3_600_000 });
    const { conditions, unseenSince } = (await find())?.status ?? {};
    expect(findCondition(conditions, 'Clean')).toMatchObject({
      status: 'Unknown',
      message: expect.stringMatching(/aws_vpc vpc-1; AWS does not answer \(ENOTFOUND\)$/),
    });
    expect(unseenSince).toBe('2026-02-01T12:00:00Z');
  });

  it('ends, too, when the provider of its account is not offered any more', async () => {
    await have([VPC]);
    const none = new CloudProviders({});
    expect(await pass(0, none)).toMatchObject({ reason: 'WatchingWhatIsLeft' });
    expect(await clean()).toBe('Unknown NotSeen');

    now = new Date('2026-05-02T12:00:00Z');
    expect(await pass(0, none)).toEqual({ kind: 'settled', isGone: true });
    expect(events.reasons).toEqual(['Warning AbandonedUnseen']);
  });

  it('ends when nobody could look for as long as one is kept, and says so', async () => {
    await have([VPC], { name: 'other' });
    now = new Date('2027-01-01T00:00:00Z');
    await pass();
    expect((await find())?.status).toMatchObject({ present: 1, unseenSince: '2027-01-01T00:00:00Z' });

    now = new Date('2027-03-31T23:30:00Z');
    expect(await pass()).toEqual({ kind: 'waiting', reason: 'WatchingWhatIsLeft', retryAfterMs: 1_800_000 });
    now = new Date('2027-04-01T00:00:00Z');
    expect(await pass()).toEqual({ kind: 'settled', isGone: true });
    expect(await find()).toBeUndefined();
    expect(events.events).toMatchObject([
      {
        ...{ type: 'Warning', reason: 'AbandonedUnseen' },
        message: expect.stringMatching(/left behind in us-east-1 of other \(\d+\) is watched no more: aws_vpc vpc-1$/),
      },
    ]);
  });

  it('is kept anew once somebody could look again', async () => {
    await have([VPC]);
    cloud.provider.owned = [LISTED];
    cloud.provider.failure = credentialsRejected('AWS rejected the credentials: AuthFailure');
    await pass();
    cloud.provider.failure = undefined;
    now = new Date('2026-04-30T12:00:00Z');
    await pass();
    expect((await find())?.status).not.toHaveProperty('unseenSince');

    cloud.provider.failure = credentialsRejected('AWS rejected the credentials: AuthFailure');
    now = new Date('2026-06-01T12:00:00Z');
    expect(await pass()).toMatchObject({ reason: 'WatchingWhatIsLeft' });
    expect(events.events).toEqual([]);
  });
});
