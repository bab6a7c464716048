import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CHECK_DRIFT_ANNOTATION,
  isConditionTrue,
  PLACEHOLDER_SSH_KEY,
  type Infrastructure,
  type PlanPreview,
} from '@crate/api';
import type { ServiceHost } from '@crate/service-host';
import { eventually } from '@crate/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { aSpec } from '../testing/a-spec.js';
import { ACCOUNT, NAMESPACE, TestCloud, type Remote } from '../testing/test-cloud.js';

const MANAGER = 'test';
const PATIENCE = { timeoutMs: 180_000 };
jest.setTimeout(600_000);

let cloud: TestCloud;
let service: ServiceHost;
let remote: Remote;
beforeAll(async () => {
  cloud = await TestCloud.start();
  service = await cloud.startService();
  remote = await cloud.remote();
  const spec = { provider: 'sandbox-aws', accountId: ACCOUNT };
  await cloud.accounts(service).ensure({ metadata: { name: 'sandbox', namespace: NAMESPACE }, spec }, MANAGER);
});
afterAll(async () => {
  await remote?.close();
  await cloud?.stop();
});

type Changes = Parameters<typeof aSpec>[1];

const preview = (name: string, changes: Changes = {}, destroy = false): Promise<PlanPreview> =>
  remote.preview({ namespace: NAMESPACE, name, spec: aSpec(name, changes), destroy });

async function ensure(name: string, changes: Changes = {}): Promise<Infrastructure> {
  const draft = { metadata: { name, namespace: NAMESPACE }, spec: aSpec(name, changes) };
  return cloud.infrastructures(service).ensure(draft, MANAGER);
}

async function until(name: string, check: (found: Infrastructure) => void): Promise<Infrastructure> {
  return eventually(async () => {
    const found = await cloud.infrastructures(service).find(name, NAMESPACE);
    check(found!);
    return found!;
  }, PATIENCE);
}

const untilReady = (name: string): Promise<Infrastructure> =>
  until(name, ({ metadata, status }) =>
    expect([isConditionTrue(status?.conditions, 'Ready', metadata.generation), status?.failure]).toEqual([
      true,
      undefined,
    ]),
  );

const untilFailed = (name: string, code: string): Promise<Infrastructure> =>
  until(name, ({ status }) => expect(status?.failure?.code).toBe(code));

describe('a preview', () => {
  it('says what would be made for an Infrastructure that is not there, and makes nothing', async () => {
    const unborn = { sshPublicKey: PLACEHOLDER_SSH_KEY, clusterUid: 'not-made-yet' };
    const seen = await preview('unborn', unborn);
    expect(seen.counts).toMatchObject({ update: 0, replace: 0, destroy: 0 });
    expect(seen.counts.create).toBeGreaterThan(20);
    expect(seen.impact).toMatchObject({ impact: 'none' });
    expect(seen.stateSerial).toBeUndefined();
    expect(seen.account).toBe(`sandbox-aws/${ACCOUNT}`);
    expect(seen.review.allowed).toBe(true);
    expect(cloud.reviews.at(-1)).toMatchObject({ operation: 'CREATE', dryRun: true });
    expect(cloud.inventory()).toEqual([]);
    expect(await cloud.infrastructures(service).list()).toEqual([]);
    expect(await readdir(join(cloud.directory, 'workspaces', 'scratch'))).toEqual([]);

    // What it is called by in the end counts for nothing: the same plan once it is made.
    expect((await preview('unborn', unborn)).digest).toBe(seen.digest);
    await ensure('unborn', { approvedPlan: { name: 'first', digest: seen.digest } });
    const made = await untilReady('unborn');
    expect(made.status?.approvedPlan).toMatchObject({ name: 'first', digest: seen.digest });
  });

  it('says what would change, and is the same until the world moves', async () => {
    await ensure('demo');
    const { status } = await untilReady('demo');
    const wish = { workers: 3 };
    const seen = await preview('demo', wish);
    expect(seen).toMatchObject({
      stateSerial: status?.stateSerial,
      counts: { create: 2, update: 0, replace: 0, destroy: 0 },
      impact: { impact: 'none' },
    });
    expect(seen.resources.map(({ address }) => address)).toEqual([
      'aws_instance.demo-workers-1',
      'aws_instance.demo-workers-2',
    ]);
    expect((await preview('demo', wish)).digest).toBe(seen.digest);
    expect((await preview('demo', { workers: 2 })).digest).not.toBe(seen.digest);

    expect(cloud.reviews.at(-1)).toMatchObject({ operation: 'UPDATE', dryRun: true });
    cloud.verdict = { allowed: false, violations: [] };
    const gone = await preview('demo', {}, true);
    cloud.verdict = { allowed: true, violations: [] };
    expect(cloud.reviews.at(-1)).toMatchObject({ operation: 'DELETE', dryRun: true });
    expect(gone.review.allowed).toBe(false);
    expect(gone.counts).toMatchObject({ create: 0, update: 0, replace: 0 });
    expect(gone.counts.destroy).toBeGreaterThan(20);
    expect((await preview('demo', { workers: 0 })).impact).toEqual({
      impact: 'roll',
      address: 'aws_instance.demo-workers-0',
    });
  });

  it('says what ports of the load balancer would make of one that stands, and what their end would take away', async () => {
    await ensure('open');
    await untilReady('open');
    const loadBalancerPorts = [{ port: 443, nodePort: 30_443 }];
    const wish = { network: { ...aSpec('open').network, loadBalancerPorts } };
    const seen = await preview('open', wish);
    expect(seen).toMatchObject({
      counts: { update: 0, replace: 0, destroy: 0 },
      impact: { impact: 'none' },
    });
    expect(seen.resources.map(({ address }) => address)).toEqual(
      expect.arrayContaining(['aws_lb_listener.port-443-listener', 'aws_lb_target_group.port-443-targets']),
    );
    await ensure('open', wish);
    await untilReady('open');
    expect((await preview('open', wish)).counts).toMatchObject({ create: 0, update: 0, replace: 0, destroy: 0 });
    expect(await preview('open')).toMatchObject({
      counts: { create: 0, update: 0, replace: 0, destroy: seen.counts.create },
      impact: { impact: 'replace' },
    });
  });

  it('names every bad field of a wish', async () => {
    const spec = { ...aSpec('demo'), region: 5 } as never;
    await expect(remote.preview({ namespace: NAMESPACE, name: 'demo', spec })).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: { causes: [{ field: 'spec.region' }] },
    });
  });
});

describe('an approved plan', () => {
  it('is applied as it was approved, and another one is not', async () => {
    await ensure('exact');
    await untilReady('exact');
    const machines = cloud.inventory('aws_instance').length;
    const { digest } = await preview('exact', { workers: 2 });

    await ensure('exact', { workers: 3, approvedPlan: { name: 'grow', digest } });
    const refused = await untilFailed('exact', 'PlanOutdated');
    expect(refused.status?.failure?.message).toContain('approved as "grow"');
    expect(cloud.inventory('aws_instance')).toHaveLength(machines);

    await ensure('exact', { workers: 2, approvedPlan: { name: 'grow', digest } });
    await untilReady('exact');
    expect(cloud.inventory('aws_instance')).toHaveLength(machines + 1);
  });
});

describe('an approved plan that was executed', () => {
  const CORRECT = { policy: 'correct', everyMinutes: 60 } as const;
  const attributes = (): Readonly<Record<string, unknown>> | undefined => vpc()?.attributes;
  const vpc = (): ReturnType<typeof cloud.sandbox.cloud.inventory.list>[number] | undefined =>
    cloud.sandbox.cloud.inventory
      .list({ account: ACCOUNT, type: 'aws_vpc' })
      .find(({ tags }) => Object.values(tags).includes('uid-of-once'));

  it('holds back no correction of what somebody changes later', async () => {
    const correcting = { drift: CORRECT };
    await ensure('once', correcting);
    await untilReady('once');
    const wish = { ...correcting, workers: 2 };
    const approvedPlan = { name: 'grow', digest: (await preview('once', wish)).digest };
    await ensure('once', { ...wish, approvedPlan });
    const { status } = await untilReady('once');
    expect(status?.approvedPlan?.executedAt).toBeDefined();

    await cloud.sandbox.cloud.aws.change(vpc()!, { enable_dns_support: false });
    const annotations = { [CHECK_DRIFT_ANNOTATION]: 'now' };
    await cloud.infrastructures(service).merge('once', NAMESPACE, { metadata: { annotations } });
    await eventually(() => expect(attributes()).toMatchObject({ enable_dns_support: true }), PATIENCE);
    // The cloud is as it was before the pass that did it has ended.
    const after = await until('once', (found) => expect(found.status?.drift).toBeUndefined());
    expect(after.spec.approvedPlan).toEqual(approvedPlan);
    expect(after.status?.approvedPlan).toEqual(status?.approvedPlan);
    expect(isConditionTrue(after.status?.conditions, 'Ready')).toBe(true);
  });

  it('is carried out also where it puts back what somebody changed, and the spec says nothing new', async () => {
    await ensure('back');
    await untilReady('back');
    const found = cloud.sandbox.cloud.inventory
      .list({ account: ACCOUNT, type: 'aws_vpc' })
      .find(({ tags }) => Object.values(tags).includes('uid-of-back'));
    await cloud.sandbox.cloud.aws.change(found!, { enable_dns_support: false });
    const seen = await preview('back');
    expect(seen.counts).toMatchObject({ create: 0, update: 1 });
    await ensure('back', { approvedPlan: { name: 'back', digest: seen.digest } });
    const { status } = await untilReady('back');
    expect(status?.approvedPlan).toMatchObject({ name: 'back', resources: ['aws_vpc.vpc'] });
    expect((await preview('back')).counts).toMatchObject({ create: 0, update: 0 });
  });
});

describe('an approved deletion', () => {
  const machines = (): number => {
    const all = cloud.sandbox.cloud.inventory.list({ account: ACCOUNT, type: 'aws_instance' });
    return all.filter(({ tags }) => tags['Name']?.startsWith('going-')).length;
  };

  it('destroys what was approved and nothing else, also when the world moves after the deletion was asked for', async () => {
    await ensure('going');
    await untilReady('going');
    const { digest: old } = await preview('going', {}, true);
    await ensure('going', { workers: 2 });
    await untilReady('going');
    const before = machines();
    expect(before).toBeGreaterThan(2);

    await ensure('going', { workers: 2, approvedPlan: { name: 'away', digest: old, destroy: true } });
    await untilReady('going');
    await cloud.infrastructures(service).remove('going', NAMESPACE);
    const { status } = await untilFailed('going', 'PlanOutdated');
    expect(status?.deletion?.blockers).toMatchObject([
      {
        kind: 'Infrastructure',
        name: 'going',
        reason: 'PlanOutdated',
        remedy: expect.stringContaining('Plan the deletion'),
      },
    ]);
    expect(machines()).toBe(before);

    const { digest } = await preview('going', { workers: 2 }, true);
    const approvedPlan = { name: 'again', digest, destroy: true };
    await cloud.infrastructures(service).merge('going', NAMESPACE, { spec: { approvedPlan } });
    const isGone = async (): Promise<void> =>
      expect(await cloud.infrastructures(service).find('going', NAMESPACE)).toBeUndefined();
    await eventually(isGone, PATIENCE);
    expect(machines()).toBe(0);
  });
});

describe('a ceiling', () => {
  it('refuses a plan that replaces more than is allowed, before anything is done', async () => {
    await ensure('guarded', { maxImpact: 'roll' });
    await untilReady('guarded');
    const before = cloud.sandbox.cloud.inventory.list({ account: ACCOUNT }).map(({ id }) => id);

    // Which nobody may ask of a Cluster: the provider makes machines anew for another processor architecture.
    const machineGroups = aSpec('guarded').machineGroups.map((group) => ({ ...group, machineType: 'm6g.large' }));
    await ensure('guarded', { maxImpact: 'roll', machineGroups });
    const { status } = await untilFailed('guarded', 'ImpactAboveCeiling');
    expect(status?.failure).toMatchObject({ field: 'spec.maxImpact', retryable: true });
    expect(status?.failure?.message).toMatch(/impact replace \(aws_instance\.\S+\)/);
    expect(cloud.sandbox.cloud.inventory.list({ account: ACCOUNT }).map(({ id }) => id)).toEqual(before);

    await ensure('guarded', { maxImpact: 'replace', machineGroups });
    await untilReady('guarded');
  });
});
