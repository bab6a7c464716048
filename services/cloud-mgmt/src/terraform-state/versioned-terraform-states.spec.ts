import { STATE_VERSION, type Infrastructure, type KubeObject, type StateDiff, type StateVersion } from '@crate/api';
import { toStatus } from '@crate/errors';
import { ensureFinalizer } from '@crate/reconcile';
import type { CallContext, ResourceRef } from '@crate/resource-client';
import { KeyRing } from '@crate/secrets';
import { StateVersionApi, type StateRestored } from '@crate/service-host';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { StateKeeper } from '../terraform-run/state-keeper.js';
import { InMemoryCloud, NAMESPACE } from '../testing/in-memory-cloud.js';
import { STATE_KIND } from './state-facts.js';
import { LockView } from './lock-view.js';
import { StateHistory } from './state-history.js';
import { versionedTerraformStates } from './versioned-terraform-states.js';

const ADA: CallContext = { caller: { user: 'ada', groups: [] }, traceId: 'trace' };
const WHY = { reason: 'Lost two subnets in INC-7' };

let cloud: InMemoryCloud;
let api: StateVersionApi<Infrastructure>;
let infrastructure: Infrastructure;
let restored: StateRestored[];
let now: Date;

beforeEach(async () => {
  cloud = new InMemoryCloud();
  restored = [];
  now = new Date();
  const { secrets, runs } = cloud;
  const dated = { listOpen: (of: string) => runs.listOpen(of), now: () => Promise.resolve(now) };
  const view = new LockView({ runs: dated, locks: runs.locks, silentAfterMs: 142_000 });
  const history = new StateHistory({ secrets, runs, locks: runs.locks, view });
  api = new StateVersionApi(versionedTerraformStates(cloud.api, history), (_, what) =>
    Promise.resolve(void restored.push(what)),
  );
  infrastructure = await cloud.ensureInfrastructure('demo');
  await store(1, ['vpc-1']);
  await store(2, ['vpc-1', 'vpc-2']);
  await store(5, ['vpc-2']);
});

function stateWith(serial: number, ids: readonly string[], lineage = 'lineage-1'): Uint8Array {
  const resources = ids.map((id) => ({
    mode: 'managed',
    type: 'aws_vpc',
    name: id.replace('-', '_'),
    instances: [{ attributes: { id } }],
  }));
  return Buffer.from(JSON.stringify({ version: 4, serial, lineage, outputs: {}, resources }));
}

async function store(serial: number, ids: readonly string[]): Promise<void> {
  const keeper = new StateKeeper(cloud.secrets);
  await keeper.storing(infrastructure.metadata.uid, 1n, `run-${serial}`)(stateWith(serial, ids));
}

function refOf(name: string): ResourceRef {
  const { group, version, plural } = STATE_VERSION;
  return { group, version, plural, name, namespace: NAMESPACE };
}

async function restore(name: string, body: unknown = WHY, dryRun = false): Promise<KubeObject> {
  return (await api.writeSubresource(refOf(name), 'restore', { verb: 'create', body, dryRun }, ADA)) as KubeObject;
}

async function statusOf(work: Promise<unknown>): Promise<ReturnType<typeof toStatus>> {
  return toStatus(
    await work.then(
      () => 'did not throw',
      (error: unknown) => error,
    ),
  );
}

describe('a state version', () => {
  it('tells what is known of it, and nothing that is in it', async () => {
    const version = (await api.get(refOf('demo.2'), ADA)) as StateVersion;
    expect(version).toMatchObject({
      metadata: { name: 'demo.2', namespace: NAMESPACE, ownerReferences: [{ name: 'demo' }] },
      spec: {
        infrastructureRef: { name: 'demo' },
        serial: 2,
        lineage: 'lineage-1',
        terraformSerial: 2,
        resources: 2,
        newest: false,
        run: 'run-2',
      },
    });
    expect(STATE_VERSION.body.safeParse({ spec: version.spec }).error).toBeUndefined();
    expect(JSON.stringify(version)).not.toContain('vpc');
  });

  it.each(['demo.9', 'demo', 'demo.0', 'other.1', '.1', 'demo.1.x'])('%s is not found', async (name) => {
    expect(await statusOf(api.get(refOf(name), ADA))).toMatchObject({ code: 404 });
  });

  it('cannot be written, and says what to do', async () => {
    for (const work of [
      api.create(STATE_VERSION),
      api.update({ ...STATE_VERSION, name: 'x' }),
      api.patch({ ...STATE_VERSION, name: 'x' }),
      api.remove({ ...STATE_VERSION, name: 'x' }),
      api.removeCollection(STATE_VERSION),
    ]) {
      const status = await statusOf(work);
      expect(status.code).toBe(405);
      expect(status.message).toContain('crate state restore');
    }
  });
});

describe('a list', () => {
  beforeEach(async () => {
    const other = await cloud.ensureInfrastructure('other');
    await new StateKeeper(cloud.secrets).storing(other.metadata.uid, 1n)(stateWith(1, []));
    await cloud.ensureInfrastructure('empty');
  });

  it.each([
    { options: {}, want: ['demo.3', 'demo.2', 'demo.1', 'other.1'] },
    { options: { fieldSelector: 'spec.infrastructureRef.name=other' }, want: ['other.1'] },
    { options: { fieldSelector: 'metadata.name=demo.2' }, want: ['demo.2'] },
    { options: { fieldSelector: 'spec.newest=true' }, want: ['demo.3', 'other.1'] },
    { options: { namespace: 'nobody' }, want: [] },
  ])('selects $options', async ({ options, want }) => {
    const { items } = await api.list(STATE_VERSION, { namespace: NAMESPACE, ...options }, ADA);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(want);
  });

  it('comes in pages', async () => {
    const names: string[] = [];
    for (let token: string | undefined = ''; token !== undefined;) {
      const more: object = token === '' ? {} : { continue: token };
      const page = await api.list(STATE_VERSION, { namespace: NAMESPACE, limit: 1, ...more }, ADA);
      names.push(...page.items.map(({ metadata }) => metadata.name));
      token = page.metadata.continue;
    }
    expect(names).toEqual(['demo.3', 'demo.2', 'demo.1', 'other.1']);
  });
});

describe('a diff', () => {
  async function diff(name: string, body?: unknown): Promise<StateDiff> {
    const answer = await (body === undefined
      ? api.readSubresource(refOf(name), 'diff', ADA)
      : api.writeSubresource(refOf(name), 'diff', { verb: 'create', body }, ADA));
    return answer as StateDiff;
  }

  it('is with the version before', async () => {
    expect(await diff('demo.3')).toMatchObject({
      kind: 'StateDiff',
      from: { serial: 2, terraformSerial: 2 },
      to: { serial: 3, terraformSerial: 5 },
      counts: { added: 0, removed: 1, changed: 0 },
      resources: [{ address: 'aws_vpc.vpc_1', action: 'removed' }],
    });
  });

  it('or with any other, also a later one', async () => {
    expect((await diff('demo.3', { from: 1 })).counts).toEqual({ added: 1, removed: 1, changed: 0 });
    expect((await diff('demo.1', { from: 2 })).counts).toEqual({ added: 0, removed: 1, changed: 0 });
    expect((await diff('demo.1', { from: 1 })).resources).toEqual([]);
  });

  it('of what is not there is not found, and of nonsense names the field', async () => {
    expect(await statusOf(diff('demo.1'))).toMatchObject({ code: 404 });
    expect(await statusOf(diff('demo.3', { from: 77 }))).toMatchObject({
      code: 404,
      message: expect.stringContaining('"demo.77"'),
    });
    const status = await statusOf(diff('demo.3', { from: 'x', and: 1 }));
    expect(status).toMatchObject({ code: 422 });
    expect(JSON.stringify(status.details)).toContain('from');
  });
});

describe('a restore', () => {
  it('is a new version with the old content, under greater serials, that says who and why', async () => {
    const made = await restore('demo.1');
    expect(made).toMatchObject({
      metadata: { name: 'demo.4' },
      spec: { serial: 4, terraformSerial: 6, resources: 1, newest: true, changedBy: 'ada', restoredFrom: 1, ...WHY },
    });
    expect(restored).toEqual([{ from: 1, serial: 4, by: 'ada', ...WHY }]);
    const stored = await cloud.secrets.find(infrastructure.metadata.uid, STATE_KIND);
    expect(JSON.parse(Buffer.from(stored!.plain).toString())).toEqual({
      ...(JSON.parse(Buffer.from(stateWith(1, ['vpc-1'])).toString()) as object),
      serial: 6,
    });
  });

  it('lets the next run look for what the old state does not know', async () => {
    await restore('demo.1');
    expect(await cloud.runs.list(infrastructure.metadata.uid)).toMatchObject([{ kind: 'edit', state: 'interrupted' }]);
  });

  it('is remembered by the versions after it, under a number that none from before has, also of versions that were lost since', async () => {
    const edit = async (): Promise<unknown> =>
      (await cloud.secrets.find(infrastructure.metadata.uid, STATE_KIND))?.facts?.['edit'];
    const before = Date.now();
    await restore('demo.1');
    const first = await edit();
    expect(first).toBeGreaterThanOrEqual(before);
    await store(7, ['vpc-1']);
    expect(await edit()).toBe(first);
    await restore('demo.1');
    expect(await edit()).toBeGreaterThan(first as number);
  });

  it('is numbered by the clock of the database, which is one for all hosts', async () => {
    const databaseTime = new Date('2027-01-01T00:00:00Z');
    cloud.runs.now = () => Promise.resolve(databaseTime);
    await restore('demo.1');
    const stored = await cloud.secrets.find(infrastructure.metadata.uid, STATE_KIND);
    expect(stored?.facts?.['edit']).toBe(databaseTime.getTime());
  });

  it('is possible when the key of the newest version is lost', async () => {
    const find = cloud.secrets.findVersion.bind(cloud.secrets);
    const withoutKey = (): Promise<undefined> => new KeyRing([]).digest(Buffer.of(), 'lost').then(() => undefined);
    cloud.secrets.findVersion = (uid, kind, serial) => (serial === 3 ? withoutKey() : find(uid, kind, serial));
    expect(await restore('demo.1')).toMatchObject({ spec: { serial: 4, newest: true } });
  });

  it('is possible in a deletion too, which a damaged state holds up', async () => {
    await ensureFinalizer(cloud.infrastructures, infrastructure, 'cloud.crate.dev/infrastructures');
    await cloud.infrastructures.remove('demo', NAMESPACE);
    expect(await restore('demo.1')).toMatchObject({ spec: { serial: 4, newest: true } });
  });

  it('goes past a run that is dead, which a damaged state keeps from being taken over, and refuses its late writes', async () => {
    const { uid } = infrastructure.metadata;
    await cloud.runs.open({ id: 'run-x', infrastructureUid: uid, kind: 'apply', epoch: 7n, generation: 1 });
    expect(await statusOf(restore('demo.1'))).toMatchObject({ code: 409 });
    now = new Date(now.getTime() + 60_000);
    expect(await restore('demo.1')).toMatchObject({ spec: { serial: 4, newest: true } });

    const states = new StateKeeper(cloud.secrets);
    await expect(states.storing(uid, 7n)(stateWith(9, []))).rejects.toMatchObject({ code: 'Conflict' });
    await states.storing(uid, 8n)(stateWith(9, []));
  });

  it.each([
    {
      name: 'a newer pass has begun with what there is',
      meanwhile: (uid: string) => new StateKeeper(cloud.secrets).storing(uid, 9n)(stateWith(5, ['vpc-2'])),
    },
    {
      name: 'a pass has stored what it made',
      meanwhile: (uid: string) => new StateKeeper(cloud.secrets).storing(uid, 1n)(stateWith(6, ['vpc-2', 'vpc-3'])),
    },
  ])('is refused where it stood still until $name', async ({ meanwhile }) => {
    const { uid } = infrastructure.metadata;
    cloud.runs.now = async () => {
      await meanwhile(uid);
      return now;
    };
    expect(await statusOf(restore('demo.1'))).toMatchObject({ code: 409 });
    const [newest] = (await api.list(STATE_VERSION, { namespace: NAMESPACE }, ADA)).items;
    expect(newest).not.toHaveProperty('spec.restoredFrom');
    expect(restored).toEqual([]);
  });

  it('writes nothing in a dry run', async () => {
    await restore('demo.1', WHY, true);
    expect(await cloud.secrets.versions(infrastructure.metadata.uid, STATE_KIND)).toHaveLength(3);
  });

  it.each([{}, { reason: '' }, { reason: ' ' }, { reason: 5 }, { reason: 'x', more: true }])(
    'with %j is refused, and the field named',
    async (body) => {
      expect(await statusOf(restore('demo.1', body))).toMatchObject({ code: 422, reason: 'Invalid' });
      expect(restored).toEqual([]);
    },
  );

  it('is refused while a run lives, or a person holds the lock, and says who', async () => {
    const { uid } = infrastructure.metadata;
    await cloud.runs.open({ id: 'run-x', infrastructureUid: uid, kind: 'apply', epoch: 1n, generation: 1 });
    expect(await statusOf(restore('demo.1'))).toMatchObject({
      code: 409,
      message: expect.stringContaining('cloud-mgmt@'),
    });
    await cloud.runs.close('run-x', 'succeeded');
    const lock = { infrastructureUid: uid, id: 'l', holder: 'vera', operation: 'OperationTypeApply', info: '' };
    await cloud.runs.locks.acquire(lock);
    expect(await statusOf(restore('demo.1'))).toMatchObject({ code: 409, message: expect.stringContaining('vera') });
    expect(restored).toEqual([]);
  });
});
