import { PAUSED_ANNOTATION, type CloudAccount, type Infrastructure, type SweepFinding } from '@crate/api';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CloudProviders } from '../provider/cloud-providers.js';
import { aContext, InMemoryCloud } from '../testing/in-memory-cloud.js';
import type { RemovalTask } from './orphan-remover.js';
import { OrphanSweep, type SweepLook } from './orphan-sweep.js';
import type { ListedResource, LiveOwner, SweepWorld } from './sweep-world.js';

const OWNER = 'crate.dev/infrastructure-uid';

let cloud: InMemoryCloud;
let account: CloudAccount;
let tasks: RemovalTask[];
let forgotten: string[];
let world: SweepWorld;
let sweep: OrphanSweep;

const listed: ListedResource[] = [
  { type: 'aws_iam_role', id: 'role-1', importId: 'role-1', region: 'global', tags: {} },
  { type: 'aws_route', id: 'r-1', importId: 'rtb-1_0.0.0.0/0', region: 'eu-west-1', tags: {} },
];

function aFinding({ type, id, region }: ListedResource): SweepFinding {
  const since = '2026-03-01T11:00:00Z';
  return { type, id, region, owner: { uid: 'u1' }, since, decision: 'remove', reason: 'OwnerDeleted', message: 'Gone' };
}

beforeEach(async () => {
  cloud = new InMemoryCloud();
  account = await cloud.ensureAccount({ accountId: '111122223333' });
  [tasks, forgotten] = [[], []];
  world = {
    installationId: 'installation-1',
    listed,
    live: new Map(),
    deleted: new Map(),
    unanswered: [],
    isResponsible: () => true,
    before: [],
    now: new Date('2026-03-01T12:00:00Z'),
  };
  sweep = new OrphanSweep({
    observer: { observe: () => Promise.resolve({ regions: ['eu-west-1'], world }) },
    remover: {
      remove: (task) => Promise.resolve(void tasks.push(task)),
      forget: (key) => Promise.resolve(void forgotten.push(key)),
    },
    providers: new CloudProviders({ 'sandbox-aws': cloud.provider }),
    credentials: cloud.credentials,
    graceMs: 0,
    maxPerPass: 20,
  });
});

function anOwnerOf({ importId: id, region }: ListedResource, looksAnyway: boolean): LiveOwner {
  const infrastructure = { metadata: { name: 'demo', uid: 'u1' }, spec: { region } } as unknown as Infrastructure;
  const ownership = { adoptions: [{ to: 'aws_instance.demo', id }], duplicates: [], strays: [] };
  return { infrastructure, isHere: true, ownership, lastRunId: 'r', looksAnyway };
}

const lookWith = (now: readonly SweepFinding[]): SweepLook =>
  ({ world, plan: { now, askOwners: [], settlesInMs: undefined, held: undefined } }) as unknown as SweepLook;

describe('OrphanSweep', () => {
  it('removes region by region, with what Terraform imports by, and what has no region last', async () => {
    await sweep.remove(account, lookWith(listed.map(aFinding)), aContext({ epoch: 7n }));

    const { uid } = account.metadata;
    expect(tasks.map(({ key, access, context }) => [key, access.region, context.epoch])).toEqual([
      [`sweep-${uid}-eu-west-1`, 'eu-west-1', 7n],
      [`sweep-${uid}-us-east-1`, 'us-east-1', 7n],
    ]);
    expect(tasks[0]?.orphans).toMatchObject([{ id: 'r-1', importId: 'rtb-1_0.0.0.0/0' }]);
  });

  it('means only what still carries the tag of the owner that is gone', async () => {
    await sweep.remove(account, lookWith(listed.map(aFinding)), aContext());
    const [{ isMeant, orphans }] = tasks as [RemovalTask];

    expect(isMeant(orphans[0]!, { [OWNER]: 'u1' })).toBe(true);
    expect(isMeant(orphans[0]!, { [OWNER]: 'u2' })).toBe(false);
    expect(isMeant(orphans[0]!, {})).toBe(false);
  });

  it('waits for listings as long as the provider says, and a moment at least', async () => {
    const { signal } = aContext();
    expect((await sweep.look(account, signal)).lagMs).toBe(5_000);
    cloud.provider.lagMs = 60_000;

    expect((await sweep.look(account, signal)).lagMs).toBe(60_000);
  });

  it('asks no owner whose next run looks anyway, nor one that is paused: that may be for months', async () => {
    const machine = { type: 'aws_instance', id: 'i-1', importId: 'i-1' };
    const resource = { ...machine, region: 'eu-west-1', tags: { [OWNER]: 'u1' } };
    const asked = async (looksAnyway: boolean, annotations: Record<string, string> = {}): Promise<number> => {
      const owner = anOwnerOf(resource, looksAnyway);
      Object.assign(owner.infrastructure.metadata, { annotations });
      world = { ...world, listed: [resource], live: new Map([['u1', owner]]) };
      const { verdict, plan } = await sweep.look(account, aContext().signal);
      expect(verdict.findings).toMatchObject([{ decision: 'adopt', reason: 'NotInState' }]);
      return plan.askOwners.length;
    };
    expect(await asked(false)).toBe(1);
    expect(await asked(true)).toBe(0);
    expect(await asked(false, { [PAUSED_ANNOTATION]: 'true' })).toBe(0);
  });

  it('reports without doing anything', async () => {
    expect(await sweep.report(account, aContext().signal)).toMatchObject({ listed: 2, others: 0, mode: 'remove' });
    expect(tasks).toEqual([]);
  });

  it('tells what it knew of a region that does not answer, and plans nothing there', async () => {
    const before = listed.map(aFinding);
    world = {
      ...world,
      listed: [],
      before,
      unanswered: [{ place: 'eu-west-1', message: 'AuthFailure', isRefused: true }],
    };
    const { signal } = aContext();

    expect((await sweep.look(account, signal)).plan.now).toEqual([]);
    expect(await sweep.report(account, signal)).toMatchObject({
      regions: [],
      unanswered: ['Not looked at: eu-west-1 (AuthFailure)'],
      findings: [before[1]],
    });
  });

  it('forgets what it kept about an account, in every region, and nothing when it never looked', async () => {
    await sweep.forget(account);
    expect(forgotten).toEqual([]);
    await sweep.forget({ ...account, status: { sweep: { regions: ['eu-west-1'], findings: [], omitted: 0 } } });

    expect(forgotten).toEqual(['eu-west-1', 'us-east-1'].map((region) => `sweep-${account.metadata.uid}-${region}`));
  });
});
