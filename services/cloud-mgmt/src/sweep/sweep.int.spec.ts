import {
  CLOUD_ACCOUNT,
  DELETION_RECORD,
  findCondition,
  isConditionTrue,
  type CloudAccount,
  type Infrastructure,
} from '@crate/api';
import { OWNER_TAGS } from '@crate/infra-aws';
import type { ServiceHost } from '@crate/service-host';
import { eventually } from '@crate/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { aSpec } from '../testing/a-spec.js';
import { ACCOUNT, NAMESPACE, TestCloud } from '../testing/test-cloud.js';
import { SWEEP_RECONCILER } from './sweep.reconciler.js';
import { ORPHANED_RESOURCES } from './sweep.status.js';

const MANAGER = 'test';
const PATIENCE = { timeoutMs: 180_000 };
/** A second or so for each resource. */
const LONG = { timeoutMs: 500_000 };
const KEY = { namespace: NAMESPACE, name: 'sandbox' };
jest.setTimeout(900_000);

let cloud: TestCloud;
let service: ServiceHost;

beforeAll(async () => {
  cloud = await TestCloud.start();
  service = await cloud.startService({ sweepGraceMs: 0 });
  await ensureAccount({});
});
afterAll(async () => cloud.stop());
beforeEach(async () => {
  await ensureAccount({});
});
afterEach(async () => {
  // What a test that failed left behind must not fail the next one.
  const { faults, inventory } = cloud.sandbox.cloud;
  for (const { name } of faults.list()) await faults.remove(name);
  for (const object of objects()) inventory.remove(object);
});

type Objects = ReturnType<TestCloud['sandbox']['cloud']['inventory']['list']>;

const objects = (): Objects => cloud.sandbox.cloud.inventory.list({ account: ACCOUNT });
const ids = (): string[] =>
  objects()
    .map(({ type, id }) => `${type}/${id}`)
    .sort();

async function ensureAccount(sweep: Partial<NonNullable<CloudAccount['spec']['sweep']>>): Promise<void> {
  const spec = { provider: 'sandbox-aws', accountId: ACCOUNT, sweep };
  await cloud.accounts(service).ensure({ metadata: { name: 'sandbox', namespace: NAMESPACE }, spec }, MANAGER);
}

async function account(): Promise<CloudAccount> {
  const found = await cloud.accounts(service).find('sandbox', NAMESPACE);
  if (!found) throw new Error('The account is gone');
  return found;
}

async function sweep(): Promise<void> {
  await service.foundation.queue.enqueue(SWEEP_RECONCILER, [KEY]);
}

const orphaned = async (): Promise<{ status: string; reason: string; message: string } | undefined> =>
  findCondition((await account()).status?.conditions, ORPHANED_RESOURCES);

async function bringUp(name: string): Promise<Infrastructure> {
  const infrastructures = cloud.infrastructures(service);
  await infrastructures.ensure({ metadata: { name, namespace: NAMESPACE }, spec: aSpec(name) }, MANAGER);
  return eventually(async () => {
    const found = await infrastructures.find(name, NAMESPACE);
    expect(isConditionTrue(found?.status?.conditions, 'Ready', found?.metadata.generation)).toBe(true);
    return found!;
  }, PATIENCE);
}

async function takeDown(name: string): Promise<void> {
  const infrastructures = cloud.infrastructures(service);
  const before = await infrastructures.find(name, NAMESPACE);
  await infrastructures.remove(name, NAMESPACE);
  await eventually(async () => expect(await infrastructures.find(name, NAMESPACE)).toBeUndefined(), PATIENCE);
  await proveGone(before!);
}

/** As the deletion does it. */
async function proveGone({ metadata, spec }: Infrastructure): Promise<void> {
  const records = service.foundation.clients.for(DELETION_RECORD);
  if ((await records.list()).some((record) => record.spec.infrastructure.uid === metadata.uid)) return;
  const at = new Date().toISOString();
  await records.create({
    metadata: { name: `${metadata.name}-${metadata.uid.slice(0, 8)}`, namespace: NAMESPACE },
    spec: {
      infrastructure: { name: metadata.name, uid: metadata.uid },
      cluster: { name: spec.clusterName, uid: spec.clusterUid },
      account: { name: 'sandbox', id: ACCOUNT },
      region: spec.region,
      requestedAt: at,
      deletedAt: at,
      proof: { tag: `${OWNER_TAGS.infrastructureUid}=${metadata.uid}`, inventoryEmptyAt: at, abandoned: [] },
    },
  });
}

/** As if the calls that removed them had never reached the cloud. */
function bringBack(gone: Objects): void {
  for (const object of gone) cloud.sandbox.cloud.inventory.put(object);
}

describe('a sweep', () => {
  /** Proven gone; of what it was made of, tests bring back what they need. */
  let undead: Infrastructure;
  let whole: Objects;
  beforeAll(async () => {
    undead = await bringUp('undead');
    // Rules go with their groups.
    whole = objects().filter(({ type }) => !type.endsWith('_rule'));
    await takeDown('undead');
    expect(ids()).toEqual([]);
  });

  const theVpc = (): Objects[number] => whole.find(({ type }) => type === 'aws_vpc')!;

  it('finds nothing where everything has an owner, writes nothing when it looks again, and has a living owner remove what was made twice', async () => {
    await bringUp('living');
    await sweep();
    await eventually(
      async () => expect(await orphaned()).toMatchObject({ status: 'False', reason: 'NoneFound' }),
      PATIENCE,
    );
    const { metadata, status } = await account();
    expect(status?.sweep).toEqual({ regions: ['us-east-1'], findings: [], omitted: 0 });
    await sweep();
    await eventually(
      async () => expect(await service.foundation.queue.depth(SWEEP_RECONCILER)).toEqual({ due: 0, leased: 0 }),
      PATIENCE,
    );

    expect((await account()).metadata.resourceVersion).toBe(metadata.resourceVersion);

    const before = ids();
    const worker = objects().find(({ tags, type }) => type === 'aws_instance' && tags['Name'] === 'living-workers-0')!;
    const twin = { ...worker, id: 'i-twin', importId: 'i-twin', attributes: { ...worker.attributes, id: 'i-twin' } };
    cloud.sandbox.cloud.inventory.put(twin);
    await sweep();
    await eventually(() => expect(ids()).toEqual(before), PATIENCE);
    await sweep();
    await eventually(async () => expect(await orphaned()).toMatchObject({ status: 'False' }), PATIENCE);
    await takeDown('living');
    expect(ids()).toEqual([]);
  });

  it('removes a whole stack whose owner is proven gone, but not before a person allows so much', async () => {
    bringBack(whole);
    await sweep();

    await eventually(
      async () => expect(await orphaned()).toMatchObject({ status: 'True', reason: 'RemovalHeld' }),
      PATIENCE,
    );
    expect(objects()).toHaveLength(whole.length);
    const finding = (await account()).status?.sweep?.findings.find(({ type }) => type === 'aws_vpc');
    expect(finding).toMatchObject({
      region: 'us-east-1',
      name: 'undead',
      owner: { uid: undead.metadata.uid, cluster: 'undead', project: NAMESPACE },
      decision: 'remove',
      reason: 'OwnerDeleted',
    });

    await ensureAccount({ maxRemovalPercent: 100 });
    await eventually(() => expect(ids()).toEqual([]), LONG);
    await sweep();
    await eventually(
      async () => expect(await orphaned()).toMatchObject({ status: 'False', reason: 'NoneFound' }),
      PATIENCE,
    );
  });

  it('leaves alone what may be somebody else’s, and what a person switched removal off for', async () => {
    const vpc = theVpc();
    const copy = (id: string, tags: Record<string, string | undefined>): void => {
      const all = Object.entries({ ...vpc.tags, ...tags }).filter(
        (tag): tag is [string, string] => tag[1] !== undefined,
      );
      const own = Object.fromEntries(all);
      cloud.sandbox.cloud.inventory.put({
        ...vpc,
        id,
        importId: id,
        tags: own,
        attributes: { ...vpc.attributes, id, tags: own, tags_all: own },
      });
    };
    copy('vpc-of-others', { [OWNER_TAGS.installation]: 'another', [OWNER_TAGS.infrastructureUid]: 'theirs' });
    copy('vpc-of-nobody', { [OWNER_TAGS.installation]: undefined, [OWNER_TAGS.infrastructureUid]: 'whose' });
    copy('vpc-forgotten', { [OWNER_TAGS.infrastructureUid]: 'forgotten' });
    await ensureAccount({ mode: 'report' });
    copy('vpc-undead', {});
    await sweep();

    await eventually(async () => {
      const findings = (await account()).status?.sweep?.findings ?? [];
      expect(findings.map(({ id, reason }) => [id, reason])).toEqual([
        ['vpc-undead', 'OwnerDeleted'],
        ['vpc-forgotten', 'OwnerUnknown'],
        ['vpc-of-nobody', 'InstallationUnknown'],
      ]);
    }, PATIENCE);
    expect(await orphaned()).toMatchObject({ status: 'True', reason: 'RemovalHeld' });

    await ensureAccount({ mode: 'remove' });
    await eventually(
      () => expect(ids()).toEqual(['aws_vpc/vpc-forgotten', 'aws_vpc/vpc-of-nobody', 'aws_vpc/vpc-of-others']),
      PATIENCE,
    );
  });

  it('shows in a dry run what it would do, and does not do it', async () => {
    const vpc = theVpc();
    await ensureAccount({ mode: 'report' });
    bringBack([vpc]);
    const { group, version, plural } = CLOUD_ACCOUNT;
    const ref = { group, version, plural, ...KEY };
    const caller = { caller: { user: 'test', groups: [] }, traceId: 'trace' };
    const report = await service.foundation.api.readSubresource(ref, 'sweep', caller);

    expect(report).toMatchObject({
      listed: 1,
      others: 0,
      mode: 'report',
      findings: [{ type: 'aws_vpc', owner: { uid: undead.metadata.uid }, decision: 'remove', reason: 'OwnerDeleted' }],
      omitted: 0,
    });
    expect(ids()).toEqual([`aws_vpc/${vpc.id}`]);
    await ensureAccount({});
    await eventually(() => expect(ids()).toEqual([]), PATIENCE);
  });

  it('is done again when it dies in the middle of a removal', async () => {
    const left = whole.filter(({ type }) => ['aws_vpc', 'aws_subnet', 'aws_eip', 'aws_nat_gateway'].includes(type));
    const { faults, held } = cloud.sandbox.cloud;
    await faults.put('hold', { kind: 'hold', type: 'aws_nat_gateway', action: 'delete', moment: 'after', skip: 0 });
    await ensureAccount({ maxRemovalPercent: 100 });
    bringBack(left);
    await sweep();
    await eventually(() => expect(held.list()).toHaveLength(1), PATIENCE);
    const run = await service.foundation.database.firstRow<{ pgid: number }>(
      "SELECT (process->>'pgid')::int AS pgid FROM terraform_runs WHERE kind = 'sweep' AND state = 'running'",
    );
    process.kill(-run!.pgid, 'SIGKILL');
    await faults.remove('hold');

    // A removal that failed is tried again after minutes, or when somebody asks for it.
    await eventually(async () => {
      await sweep();
      expect(ids()).toEqual([]);
    }, LONG);
  });
});
