import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { CloudAccount } from '@crate/api';
import { PlatformError } from '@crate/errors';
import { OWNER_TAGS, type OwnedResource } from '@crate/infra-aws';
import type { ListingOptions } from '../provider/cloud-provider.js';
import { SweepObserver, type SweepObservation, type SweepObserverParts } from './sweep-observer.js';

const REGIONS = ['ap-south-1', 'eu-west-1', 'us-east-1'];
const ACCOUNT = {
  metadata: { name: 'main', namespace: 'team-a' },
  spec: { provider: 'aws', accountId: '123456789012' },
  status: { sweep: { regions: REGIONS } },
} as unknown as CloudAccount;

type Listing = (
  access: { readonly region: string },
  tag: unknown,
  signal: unknown,
  options?: ListingOptions,
) => Promise<readonly OwnedResource[]>;

function observe(
  account: CloudAccount,
  listByTag: Listing,
  others: Partial<SweepObserverParts> = {},
): Promise<SweepObservation> {
  const nothing = { list: () => Promise.resolve([]) };
  const parts = {
    ...{ installationId: 'i', records: nothing, infrastructures: nothing, accounts: nothing, now: () => new Date() },
    credentials: { find: () => Promise.resolve(undefined) },
    providers: { get: () => ({ listByTag }) },
    ...others,
  } as unknown as SweepObserverParts;
  return new SweepObserver(parts).observe(account, new AbortController().signal);
}

const at = (time: string): Date => new Date(`2026-03-01T${time}:00Z`);

/** One Infrastructure with two workers and the run, whose stack takes every machine that it has a place for. */
function withRun(run: object): Partial<SweepObserverParts> {
  const spec = {
    ...{ region: 'eu-west-1', accountRef: { name: 'main' }, clusterName: 'demo' },
    machineGroups: [{ name: 'workers', replicas: 2 }],
  };
  const infrastructure = { metadata: { name: 'demo', namespace: 'team-a', uid: 'u1' }, spec };
  const stack = {
    synthesize: (wanted: typeof infrastructure) => ({ document: wanted.spec.machineGroups[0]?.replicas }),
    decideOwnership: ({ document, owned }: { document: number; owned: readonly OwnedResource[] }) => {
      const names = owned.map(({ tags }) => tags['Name'] ?? '').filter((name) => Number(name.at(-1)) < document);
      return { adoptions: names.map((to) => ({ to })), duplicates: [], strays: [] };
    },
  };
  return {
    infrastructures: { list: () => Promise.resolve([infrastructure]) },
    runs: { list: () => Promise.resolve([{ id: 'r', ...run }]), now: () => Promise.resolve(at('12:00')) },
    states: { find: () => Promise.resolve(undefined) },
    stack,
  } as unknown as Partial<SweepObserverParts>;
}

describe('a sweep', () => {
  it('asks a few regions at a time, and tells of them in their order', async () => {
    const regions = ['a', 'b', 'c', 'd', 'e', 'f'];
    const account = { ...ACCOUNT, status: { sweep: { regions } } } as unknown as CloudAccount;
    let [open, most] = [0, 0];
    const { world } = await observe(account, async ({ region }) => {
      open += 1;
      most = Math.max(most, open);
      // The first to be asked are the last to answer.
      await sleep(region === 'a' ? 20 : 1);
      open -= 1;
      return [{ type: 'aws_vpc', id: `vpc-${region}`, importId: `vpc-${region}`, tags: {} }];
    });
    expect(most).toBe(4);
    expect(world.listed.map(({ region, id }) => [region, id])).toEqual(regions.map((one) => [one, `vpc-${one}`]));
  });

  it('has what is global listed once, however many regions there are', async () => {
    const asked: [region: string, regionalOnly: boolean | undefined][] = [];
    await observe(ACCOUNT, ({ region }, _tag, _signal, options) => {
      asked.push([region, options?.regionalOnly]);
      return Promise.resolve([]);
    });
    expect(asked).toEqual([
      ['ap-south-1', false],
      ['eu-west-1', true],
      ['us-east-1', true],
    ]);
  });

  it('looks on where one region of the past is closed, and has what is global listed by another', async () => {
    const asked: string[] = [];
    const { regions, world } = await observe(ACCOUNT, ({ region }, _tag, _signal, options) => {
      asked.push(`${region}${options?.regionalOnly ? '' : ' and what is global'}`);
      if (region === 'ap-south-1') return Promise.reject(new PlatformError('Forbidden', 'AuthFailure'));
      return Promise.resolve([{ type: 'aws_vpc', id: `vpc-${region}`, importId: '', tags: {} }]);
    });
    expect(regions).toEqual(REGIONS);
    expect(new Set(world.listed.map(({ region }) => region))).toEqual(new Set(['eu-west-1', 'us-east-1']));
    expect(world.unanswered).toEqual([{ place: 'ap-south-1', message: 'AuthFailure', isRefused: true }]);
    expect(asked).toEqual(['ap-south-1 and what is global', 'eu-west-1', 'us-east-1', 'eu-west-1 and what is global']);
  });

  it('knows nothing of what is global where nobody tells of it', async () => {
    const { world } = await observe(ACCOUNT, (_access, _tag, _signal, options) =>
      options?.regionalOnly ? Promise.resolve([]) : Promise.reject(new PlatformError('Unavailable', 'IAM is silent')),
    );
    expect(world.unanswered.map(({ place, isRefused }) => [place, isRefused])).toEqual([
      ['ap-south-1', false],
      ['global', false],
    ]);
  });

  it.each([
    {
      reason: 'it ended a moment ago: the next one looks',
      run: { state: 'interrupted', endedAt: at('11:59') },
      want: [],
    },
    {
      reason: 'none followed it for long',
      run: { state: 'interrupted', endedAt: at('11:29') },
      want: ['demo-workers-2'],
    },
    { reason: 'it may go on', run: { state: 'running', heartbeatAt: at('11:59') }, want: [] },
    {
      reason: 'its host died, and nobody closed it',
      run: { state: 'running', heartbeatAt: at('11:29') },
      want: ['demo-workers-2'],
    },
  ])('finds what a run left in no state that did not come to its end where $reason', async ({ run, want }) => {
    const machine = {
      ...{ type: 'aws_instance', id: 'i-1', importId: 'i-1' },
      tags: { [OWNER_TAGS.infrastructureUid]: 'u1', Name: 'demo-workers-2' },
    };
    const { world } = await observe(
      ACCOUNT,
      ({ region }) => Promise.resolve(region === 'eu-west-1' ? [machine] : []),
      withRun(run),
    );
    const owner = world.live.get('u1');
    expect(owner?.looksAnyway).toBe(true);
    expect(owner?.ownership?.adoptions.map(({ to }) => to) ?? []).toEqual(want);
  });

  it('fails where no region answers', async () => {
    const failing = observe(ACCOUNT, () => Promise.reject(new PlatformError('Forbidden', 'AuthFailure')));
    await expect(failing).rejects.toMatchObject({ code: 'Forbidden' });
  });
});

describe('what an owner has of which its state knows nothing', () => {
  const vpc = { type: 'aws_vpc', id: 'vpc-1', importId: 'vpc-1', tags: { [OWNER_TAGS.infrastructureUid]: 'u1' } };
  const found = { adoptions: [], duplicates: [], strays: [vpc] };
  const owner = { metadata: { uid: 'u1', namespace: 'team-a' }, spec: { accountRef: { name: 'main' }, region: 'r' } };
  const end = (state: string, hasBegun: boolean): unknown => ({
    ...{ id: `${state} ${hasBegun}`, state, hasBegun },
    heartbeatAt: at('11:59'),
  });

  it.each([
    { name: 'after a run that succeeded', runs: [end('succeeded', true)], want: found },
    {
      name: 'after one that was not let through, and may wait for weeks',
      runs: [end('failed', false), end('succeeded', true)],
      want: found,
    },
    { name: 'not after one that broke off', runs: [end('failed', true), end('succeeded', true)], want: undefined },
    { name: 'not while one goes on', runs: [end('running', false), end('succeeded', true)], want: undefined },
  ])('is judged $name', async ({ runs, want }) => {
    const { world } = await observe(ACCOUNT, () => Promise.resolve([vpc]), {
      infrastructures: { list: () => Promise.resolve([owner]) },
      runs: { list: () => Promise.resolve(runs), now: () => Promise.resolve(at('12:00')) },
      states: { find: () => Promise.resolve(undefined) },
      stack: { synthesize: () => ({ document: {} }), decideOwnership: () => found },
    } as unknown as Partial<SweepObserverParts>);
    expect(world.live.get('u1')).toMatchObject({ ownership: want, lastRunId: (runs[0] as { id: string }).id });
  });
});
