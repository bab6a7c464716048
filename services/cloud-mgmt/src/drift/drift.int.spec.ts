import {
  CHECK_DRIFT_ANNOTATION,
  findCondition,
  INFRASTRUCTURE,
  isConditionTrue,
  RESOLVE_DRIFT_ANNOTATION,
  type Condition,
  type DriftPolicy,
  type DriftReport,
  type Infrastructure,
} from '@crate/api';
import type { ServiceHost } from '@crate/service-host';
import { eventually } from '@crate/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { aSpec } from '../testing/a-spec.js';
import { ACCOUNT, NAMESPACE, TestCloud } from '../testing/test-cloud.js';

type CloudObject = ReturnType<TestCloud['sandbox']['cloud']['inventory']['list']>[number];

const MANAGER = 'test';
const PATIENCE = { timeoutMs: 180_000 };
jest.setTimeout(600_000);

let cloud: TestCloud;
let service: ServiceHost;
let asked = 0;

beforeAll(async () => {
  cloud = await TestCloud.start();
  service = await cloud.startService();
  await cloud
    .accounts(service)
    .ensure(
      { metadata: { name: 'sandbox', namespace: NAMESPACE }, spec: { provider: 'sandbox-aws', accountId: ACCOUNT } },
      MANAGER,
    );
});
afterAll(async () => cloud.stop());

async function find(name: string): Promise<Infrastructure> {
  const found = await cloud.infrastructures(service).find(name, NAMESPACE);
  if (!found) throw new Error(`${name} is gone`);
  return found;
}

async function ensure(name: string, policy: DriftPolicy, workers = 1): Promise<void> {
  const spec = aSpec(name, { workers, drift: { policy, everyMinutes: 60 } });
  await cloud.infrastructures(service).ensure({ metadata: { name, namespace: NAMESPACE }, spec }, MANAGER);
}

async function untilReady(name: string): Promise<Infrastructure> {
  return eventually(async () => {
    const found = await find(name);
    expect(isConditionTrue(found.status?.conditions, 'Ready', found.metadata.generation)).toBe(true);
    expect(found.status?.observedGeneration).toBe(found.metadata.generation);
    return found;
  }, PATIENCE);
}

async function annotate(name: string, annotations: Record<string, string>): Promise<void> {
  await cloud.infrastructures(service).merge(name, NAMESPACE, { metadata: { annotations } });
}

async function report(name: string): Promise<DriftReport> {
  const { group, version, plural } = INFRASTRUCTURE;
  const ref = { group, version, plural, name, namespace: NAMESPACE };
  const context = { caller: { user: 'test', groups: [] }, traceId: 'trace' };
  return (await service.foundation.api.readSubresource(ref, 'drift', context)) as DriftReport;
}

/** Asks for a comparison, and waits until it was made. */
async function compare(name: string): Promise<Infrastructure> {
  asked += 1;
  await annotate(name, { [CHECK_DRIFT_ANNOTATION]: `${asked}` });
  await eventually(async () => expect(await report(name)).toMatchObject({ answered: `${asked}` }), PATIENCE);
  return quiet(name);
}

/** Once no pass is due or under way. */
async function quiet(name: string): Promise<Infrastructure> {
  await eventually(async () => {
    expect(await service.foundation.queue.depth('infrastructure')).toEqual({ due: 0, leased: 0 });
  }, PATIENCE);
  return find(name);
}

function condition({ status }: Infrastructure, type: string): Condition | undefined {
  return findCondition(status?.conditions, type);
}

/** The object of that type that belongs to the Infrastructure. */
function objectOf(name: string, type: string, Name?: string): CloudObject {
  const found = cloud.sandbox.cloud.inventory
    .list({ account: ACCOUNT, type })
    .find(({ tags }) => tags['crate.dev/cluster-name'] === name || Object.values(tags).includes(`uid-of-${name}`));
  const named = Name === undefined ? found : cloud.sandbox.cloud.inventory.list({ type, tags: { Name } })[0];
  if (!named) throw new Error(`${name} has no ${type}`);
  return named;
}

function machinesOf(name: string): string[] {
  const machines = cloud.sandbox.cloud.inventory.list({ account: ACCOUNT, type: 'aws_instance' });
  return machines.map(({ tags }) => tags['Name'] ?? '').filter((machine) => machine.startsWith(name));
}

async function change(
  object: CloudObject,
  attributes: Parameters<typeof cloud.sandbox.cloud.aws.change>[1],
): Promise<void> {
  await cloud.sandbox.cloud.aws.change(object, attributes);
}

const attributesOf = ({ account, type, id }: CloudObject): Record<string, unknown> => ({
  ...cloud.sandbox.cloud.inventory.list({ account, type }).find((object) => object.id === id)?.attributes,
});

const rows = async (sql: string): Promise<number> =>
  (await service.foundation.database.firstRow<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`))?.n ?? -1;

async function untilGone(name: string): Promise<void> {
  await cloud.infrastructures(service).remove(name, NAMESPACE);
  await eventually(
    async () => expect(await cloud.infrastructures(service).find(name, NAMESPACE)).toBeUndefined(),
    PATIENCE,
  );
}

describe('an Infrastructure that is observed', () => {
  it('tells what was changed behind its back, once, and leaves everything as it is', async () => {
    await ensure('seen', 'observe');
    await untilReady('seen');
    expect(condition(await quiet('seen'), 'InSync')).toMatchObject({ status: 'True', reason: 'InSync' });
    const before = await compare('seen');
    expect(before.status?.drift).toBeUndefined();
    const { resourceVersion } = await compare('seen').then(({ metadata }) => metadata);
    const runs = await rows('terraform_runs');
    const versions = await rows('secret_versions');

    const vpc = objectOf('seen', 'aws_vpc');
    await change(vpc, { enable_dns_support: false, tags: { ...vpc.tags, team: 'else' } });
    await change(objectOf('seen', 'aws_instance', 'seen-workers-0'), { public_dns: 'computed.example' });
    const drifted = await compare('seen');

    expect(condition(drifted, 'InSync')).toMatchObject({
      status: 'False',
      reason: 'Drifted',
      message: '1 resource differs: aws_vpc.vpc (enable_dns_support, tags.team)',
    });
    expect(drifted.status?.drift?.resources).toEqual([
      {
        address: 'aws_vpc.vpc',
        type: 'aws_vpc',
        id: vpc.id,
        kind: 'changed',
        attributes: [
          { path: 'enable_dns_support', wanted: true, found: false },
          { path: 'tags.team', found: 'else' },
        ],
      },
    ]);
    expect(condition(drifted, 'Ready')?.status).toBe('True');
    expect(resourceVersion).not.toBe(drifted.metadata.resourceVersion);

    // Looking once more finds the same drift, and says nothing new.
    const again = await compare('seen');
    expect(again.status).toEqual(drifted.status);
    expect(await rows('terraform_runs')).toBe(runs);
    expect(await rows('secret_versions')).toBe(versions);
    expect(attributesOf(vpc)).toMatchObject({ enable_dns_support: false });
  });

  it('is left as it is by a release that writes another stack, and keeps its cluster ready', async () => {
    const vpc = objectOf('seen', 'aws_vpc');
    const runs = await rows('terraform_runs');
    const found = await quiet('seen');
    const ofAnother = { ...found.status, appliedHash: 'of another release' };
    await cloud.infrastructures(service).saveStatus(found, ofAnother);
    await service.foundation.queue.enqueue('infrastructure', [{ namespace: NAMESPACE, name: 'seen' }]);
    await eventually(async () => {
      expect(isConditionTrue((await find('seen')).status?.conditions, 'OnHold')).toBe(true);
    }, PATIENCE);
    const held = await quiet('seen');
    expect(condition(held, 'OnHold')?.message).toContain('What the release changes waits');
    expect(condition(held, 'Ready')?.status).toBe('True');
    expect(held.status?.appliedHash).toBe('of another release');
    expect(await rows('terraform_runs')).toBe(runs);
    expect(attributesOf(vpc)).toMatchObject({ enable_dns_support: false });
  });

  it('is put back by the next change of the spec', async () => {
    const vpc = objectOf('seen', 'aws_vpc');
    await ensure('seen', 'observe', 2);
    const grown = await untilReady('seen');

    expect(attributesOf(vpc)).toMatchObject({ enable_dns_support: true });
    expect(grown.status?.drift).toBeUndefined();
    expect(condition(grown, 'InSync')).toMatchObject({ status: 'True' });
    expect((await compare('seen')).status?.drift).toBeUndefined();
  });

  it('takes up the stack of a release that changes nothing in the cloud', async () => {
    const found = await quiet('seen');
    await cloud.infrastructures(service).saveStatus(found, { ...found.status, appliedHash: 'of another release' });
    await service.foundation.queue.enqueue('infrastructure', [{ namespace: NAMESPACE, name: 'seen' }]);
    await eventually(async () => {
      expect((await find('seen')).status?.appliedHash).toBe(found.status?.appliedHash);
    }, PATIENCE);
    expect(isConditionTrue((await quiet('seen')).status?.conditions, 'OnHold')).toBe(false);
  });

  it('misses what was removed', async () => {
    const machine = objectOf('seen', 'aws_instance', 'seen-workers-1');
    await cloud.sandbox.cloud.aws.remove(machine);
    const drifted = await compare('seen');
    expect(drifted.status?.drift?.resources).toMatchObject([
      { address: 'aws_instance.seen-workers-1', kind: 'missing', id: machine.id },
    ]);

    const { digest = '' } = drifted.status?.drift ?? {};
    await annotate('seen', { [RESOLVE_DRIFT_ANNOTATION]: `correct-${digest}` });
    await eventually(async () => expect((await find('seen')).status?.drift).toBeUndefined(), PATIENCE);
    expect(machinesOf('seen')).toHaveLength(4);
    expect(await report('seen')).toMatchObject({ resolved: `correct-${digest}` });
    await untilGone('seen');
    expect(await rows('drift_checks')).toBe(0);
  });
});

describe('an Infrastructure that is corrected', () => {
  it('is put back at once, but not where that would destroy something', async () => {
    await ensure('fixed', 'correct');
    await untilReady('fixed');
    const vpc = objectOf('fixed', 'aws_vpc');
    await change(vpc, { enable_dns_support: false });
    const fixed = await compare('fixed');
    expect(fixed.status?.drift).toBeUndefined();
    expect(attributesOf(vpc)).toMatchObject({ enable_dns_support: true });
    expect(condition(fixed, 'Ready')?.status).toBe('True');

    const subnet = objectOf('fixed', 'aws_subnet');
    await change(subnet, { cidr_block: '10.20.255.0/28' });
    const held = await compare('fixed');
    expect(condition(held, 'InSync')).toMatchObject({ status: 'False', reason: 'CorrectionHeld' });
    expect(condition(held, 'InSync')?.message).toContain('Putting it back has impact replace (aws_');
    expect(condition(held, 'Ready')?.status).toBe('True');
    expect(attributesOf(subnet)).toMatchObject({ cidr_block: '10.20.255.0/28' });
    await change(subnet, { cidr_block: subnet.attributes['cidr_block'] ?? null });
    expect((await compare('fixed')).status?.drift).toBeUndefined();
    await untilGone('fixed');
  });
});

describe('an Infrastructure that is held', () => {
  it('changes nothing until somebody decides', async () => {
    await ensure('held', 'hold');
    await untilReady('held');
    const vpc = objectOf('held', 'aws_vpc');
    // Nobody has looked since, so the change itself has to.
    await change(vpc, { enable_dns_support: false });
    await ensure('held', 'hold', 2);
    const held = await eventually(async () => {
      const found = await find('held');
      expect(isConditionTrue(found.status?.conditions, 'OnHold')).toBe(true);
      return found;
    }, PATIENCE);
    expect(held.status?.failure).toMatchObject({ code: 'OnHold', field: 'spec.drift.policy' });
    expect(condition(held, 'Ready')).toMatchObject({ status: 'False', reason: 'OnHold' });
    expect(machinesOf('held')).toHaveLength(3);
    expect(attributesOf(vpc)).toMatchObject({ enable_dns_support: false });

    // A decision about another drift decides nothing.
    await annotate('held', { [RESOLVE_DRIFT_ANNOTATION]: 'correct-0123456789ab' });
    expect(isConditionTrue((await quiet('held')).status?.conditions, 'OnHold')).toBe(true);

    await annotate('held', { [RESOLVE_DRIFT_ANNOTATION]: `keep-${held.status?.drift?.digest}` });
    const kept = await untilReady('held');
    expect(machinesOf('held')).toHaveLength(4);
    expect(attributesOf(vpc)).toMatchObject({ enable_dns_support: false });
    expect(kept.status?.drift).toMatchObject({ resources: [], kept: [{ path: 'enable_dns_support' }] });
    expect(condition(kept, 'InSync')).toMatchObject({ status: 'True', message: '1 attribute is left as found' });
    expect((await compare('held')).status?.drift).toMatchObject({ resources: [] });

    await annotate('held', { [RESOLVE_DRIFT_ANNOTATION]: `correct-${kept.status?.drift?.digest}` });
    await eventually(async () => expect((await find('held')).status?.drift).toBeUndefined(), PATIENCE);
    expect(attributesOf(vpc)).toMatchObject({ enable_dns_support: true });
    await untilGone('held');
  });
});

describe('a comparison', () => {
  const checkedAt = async (): Promise<Date | undefined> => {
    const { uid } = (await find('due')).metadata;
    const sql = 'SELECT checked_at AS at FROM drift_checks WHERE infrastructure_uid = $1';
    return (await service.foundation.database.firstRow<{ at: Date }>(sql, [uid]))?.at;
  };

  /** As if the last comparison had been yesterday. */
  async function isOverdue(name: string): Promise<Date> {
    await service.foundation.database.execute(`UPDATE drift_checks SET checked_at = checked_at - interval '1 day'`);
    await service.foundation.queue.enqueue('infrastructure', [{ namespace: NAMESPACE, name }]);
    return (await checkedAt())!;
  }

  /** A comparison that comes no further than the first read, until `goOn`. */
  async function isUnderWay(name: string): Promise<void> {
    await cloud.sandbox.cloud.faults.put('slow', {
      kind: 'hold',
      type: 'aws_vpc',
      action: 'read',
      moment: 'before',
      skip: 0,
    });
    await isOverdue(name);
    await eventually(() => expect(cloud.sandbox.cloud.held.list()).toHaveLength(1), PATIENCE);
    expect(await rows(`terraform_runs WHERE kind = 'check' AND process IS NOT NULL`)).toBe(1);
  }

  const goOn = (): Promise<unknown> => cloud.sandbox.cloud.faults.remove('slow');

  it('that is due is made, and moves nothing but the time of it', async () => {
    await ensure('due', 'observe');
    await untilReady('due');
    const { metadata } = await quiet('due');
    const runs = await rows('terraform_runs');
    const logs = await rows('run_log_parts');
    const before = await isOverdue('due');
    await eventually(async () => expect((await checkedAt())?.getTime()).toBeGreaterThan(before.getTime()), PATIENCE);

    expect((await quiet('due')).metadata).toEqual(metadata);
    expect(await rows('terraform_runs')).toBe(runs);
    expect(await rows('run_log_parts')).toBe(logs);
  });

  it('that the cloud refuses is told after some, made again, and changes nothing', async () => {
    await cloud.sandbox.cloud.faults.put('away', { kind: 'server-error', type: 'aws_vpc', probability: 1 });
    for (let failures = 1; failures <= 3; failures++) {
      await isOverdue('due');
      await service.foundation.database.execute(`UPDATE drift_checks SET failed_at = failed_at - interval '1 day'`);
      await service.foundation.queue.enqueue('infrastructure', [{ namespace: NAMESPACE, name: 'due' }]);
      await eventually(async () => expect(await report('due')).toMatchObject({ failures }), PATIENCE);
      const status = failures < 3 ? 'True' : 'Unknown';
      await eventually(async () => expect(condition(await find('due'), 'InSync')).toMatchObject({ status }), PATIENCE);
    }
    expect(condition(await find('due'), 'Ready')).toMatchObject({ status: 'True' });
    await cloud.sandbox.cloud.faults.remove('away');
    expect(condition(await compare('due'), 'InSync')).toMatchObject({ status: 'True' });
  });

  it('whose Terraform is killed is made again, and nothing is applied', async () => {
    const runs = await rows('terraform_runs');
    await isUnderWay('due');
    const group = await service.foundation.database.firstRow<{ pgid: number }>(
      `SELECT (process->>'pgid')::int AS pgid FROM terraform_runs WHERE kind = 'check'`,
    );
    process.kill(-group!.pgid, 'SIGKILL');
    await goOn();
    await eventually(async () => expect(await report('due')).toMatchObject({ failures: 1 }), PATIENCE);
    expect((await compare('due')).status?.drift).toBeUndefined();
    expect(await rows('terraform_runs')).toBe(runs);
  });

  it("that a restart interrupts is made again, and is nobody's failure", async () => {
    const runs = await rows('terraform_runs');
    await isUnderWay('due');
    const before = (await checkedAt())!;
    const stopped = cloud.stopService(service);
    await goOn();
    await stopped;
    service = await cloud.startService();
    await eventually(async () => expect((await checkedAt())?.getTime()).toBeGreaterThan(before.getTime()), PATIENCE);
    expect(await report('due')).toMatchObject({ failures: 0 });
    expect(await rows('terraform_runs')).toBe(runs);
  });

  it('makes way for a change of the spec', async () => {
    await isUnderWay('due');
    await ensure('due', 'observe', 2);
    await eventually(async () => expect(await rows(`terraform_runs WHERE kind = 'check'`)).toBe(0), PATIENCE);
    await goOn();
    await untilReady('due');
    expect(await report('due')).toMatchObject({ failures: 0 });
    await untilGone('due');
    expect(cloud.inventory()).toEqual([]);
  });
});
