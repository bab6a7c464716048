import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findCondition, type CloudAccount, type Infrastructure, type SweepFinding } from '@crate/api';
import { CratePlatform, eventually } from '@crate/testing';
import { CrateUser, small } from '../crate-user.js';
import { ArchivedBackup } from './archived-backup.js';

const CLUSTERS = ['lifecycle.crate.dev/v1alpha1', 'Cluster'] as const;
const ACCOUNT = { apiVersion: 'cloud.crate.dev/v1alpha1', kind: 'CloudAccount', namespace: 'team-a', name: 'sandbox' };
const SETTLE_MS = 10_000;
/** Scaled up after the backup: the Terraform workspace of one is lost with its host, that of the other survives. */
const SCALED = ['scaled', 'grown'] as const;
const KEPT = [...SCALED, 'unheard'] as const;

let platform: CratePlatform;
let user: CrateUser;
let backup: ArchivedBackup;
/** By cluster, just before the disaster. */
const machines = new Map<string, readonly string[]>();
let goodTime: string;
let lostRevision: string;

beforeAll(async () => {
  platform = await CratePlatform.start({
    settings: { CRATE_SWEEP_GRACE_MS: '1s', CRATE_SWEEP_EVERY_MS: '60s', CRATE_REMOVAL_PATIENCE_MS: '5s' },
  });
  user = await CrateUser.of(platform);
});
afterAll(async () => {
  await backup?.remove();
  await platform?.remove();
});

async function machinesOf(cluster: string): Promise<readonly string[]> {
  return (await platform.inventory())
    .filter(({ type, tags }) => type === 'aws_instance' && tags['crate.dev/cluster'] === cluster)
    .map(({ id }) => id)
    .sort();
}

async function scale(name: string, replicas: number): Promise<void> {
  await user.applyDemo(name, (spec) => {
    small(spec);
    spec['nodePools'] = [{ name: 'workers', replicas, machineType: 'm5.xlarge' }];
  });
}

async function infrastructureOf(cluster: string): Promise<Infrastructure> {
  const { items } = await user.api.list('cloud.crate.dev/v1alpha1', 'Infrastructure', { namespace: 'team-a' });
  const found = items.find(({ metadata }) => metadata.name === cluster);
  if (!found) throw new Error(`${cluster} has no Infrastructure`);
  return found as Infrastructure;
}

async function findings(): Promise<readonly SweepFinding[]> {
  const account = (await user.api.get(ACCOUNT)) as CloudAccount;
  expect(findCondition(account.status?.conditions, 'OrphanedResources')).toMatchObject({ status: 'True' });
  return account.status?.sweep?.findings ?? [];
}

/** The same machines as before the disaster, one by one: none is gone, none is there twice. */
async function expectUntouched(clusters: readonly string[] = KEPT): Promise<void> {
  for (const cluster of clusters)
    expect([cluster, await machinesOf(cluster)]).toEqual([cluster, machines.get(cluster)]);
  expect(await machinesOf('given-up')).toEqual([]);
}

describe('a point in time that is gone back to', () => {
  it('lies between a base backup and what the archive holds', async () => {
    backup = await ArchivedBackup.prepare(await platform.databaseUrl());
    await platform.crate('down');
    await platform.up();
    await user.applyQuickstart('given-up', small);
    await backup.take();
    for (const cluster of SCALED) await scale(cluster, 2);
    for (const cluster of ['given-up', ...SCALED]) await user.untilReady(cluster);
    goodTime = await backup.now();
  });

  it('knows what came before it, and nothing of what came after', async () => {
    await scale('unheard', 2);
    for (const cluster of SCALED) await scale(cluster, 3);
    await user.delete('given-up');
    for (const cluster of KEPT) await user.untilReady(cluster);
    await user.untilGone('given-up');
    for (const cluster of KEPT) machines.set(cluster, await machinesOf(cluster));
    // With the bastion.
    expect([...machines.values()].map(({ length }) => length)).toEqual([5, 5, 4]);
    lostRevision = (await user.api.list(...CLUSTERS)).resourceVersion;
    const { uid } = (await infrastructureOf('scaled')).metadata;

    await backup.flush();
    await platform.crate('down');
    await backup.restore(goodTime);
    await rm(join(platform.directory, 'services', 'cloud-mgmt', 'workspaces', 'workspaces', uid), { recursive: true });
    await platform.up();
    const names = (await user.api.list(...CLUSTERS)).items.map(({ metadata }) => metadata.name);
    expect(names.sort()).toEqual(['given-up', 'grown', 'scaled']);
  });

  it('is noticed, and clients are told to read anew', async () => {
    const status = await platform.crate('recovery');
    for (const service of ['lifecycle', 'cloud-mgmt', 'cluster-mgmt']) {
      expect(status).toMatch(new RegExp(`${service}\\s+Recovering`));
    }
    const options = { resourceVersion: lostRevision, timeoutMs: 60_000 };
    const watch = user.api.watch(...CLUSTERS, options, AbortSignal.timeout(120_000));
    await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'Gone' });
    const { resourceVersion } = await user.api.list(...CLUSTERS);
    expect(Number(resourceVersion)).toBeGreaterThan(Number(lostRevision));
  });

  it('destroys nothing, makes nothing again, and says what it does not know and what to do about it', async () => {
    const told = await eventually(
      async () => {
        // Also whoever has it looked for at once: what was there a second ago is ripe for removal.
        await platform.crate('sweep', 'sandbox', '-n', 'team-a');
        const all = await findings();
        expect(all.filter(({ reason }) => reason === 'NoPlace')).not.toEqual([]);
        return all;
      },
      { timeoutMs: 150_000 },
    );
    const unknown = told.filter(({ reason }) => reason === 'OwnerUnknown');
    expect(new Set(unknown.map(({ owner }) => owner.cluster))).toEqual(new Set(['unheard']));
    expect(told.find(({ name }) => name === 'scaled-workers-2')).toMatchObject({
      decision: 'report',
      message: expect.stringContaining('scale node pool workers of Cluster scaled to at least 3'),
    });
    await user.until('scaled', ({ status }) => /scaled-workers-2; nobody asks/.test(status?.progress?.message ?? ''));
    await new Promise((next) => setTimeout(next, SETTLE_MS));
    await expectUntouched();
  });

  it('holds a deletion from its first step, however it is asked for', async () => {
    await user.delete('given-up');
    const held = await user.until('given-up', ({ status }) => status?.failure?.code === 'Recovering');
    expect(held.status?.failure?.remedy).toContain('crate recovery confirm');
    expect(held.status?.deletion?.blockers).toMatchObject([{ reason: 'Recovering' }]);
    expect((await infrastructureOf('given-up')).metadata.deletionTimestamp).toBeUndefined();
  });

  it('takes over what newer documents ask for again, and doubles nothing', async () => {
    for (const cluster of SCALED) await scale(cluster, 3);
    for (const cluster of SCALED) await user.untilReady(cluster);
    await expectUntouched();
  });

  it('makes no second cluster beside one that it has forgotten, when its document is applied again', async () => {
    await scale('unheard', 2);
    const held = await user.until('unheard', ({ status }) => status?.failure?.code === 'Recovering');
    expect(held.status?.failure?.remedy).toContain('crate recovery take-back unheard');
    await expectUntouched();
    // All of what came after the restore is known, so it may go at once.
    await user.delete('unheard');
    await user.untilGone('unheard');
    await expectUntouched();
  });

  it('brings back a cluster that it has no record of, with its states and keys', async () => {
    // That of the platform, which the next restore follows.
    const histories = await eventually(async () => {
      const found = await backup.histories();
      expect(found).toHaveLength(1);
      return found;
    });
    const later = await backup.openLatest();
    const takeBack = ['recovery', 'take-back', 'unheard', '-n', 'team-a', '--from', later];
    expect(await platform.crate(...takeBack)).toContain('Cluster unheard');
    await user.untilReady('unheard');
    await expectUntouched();
    expect(await platform.crate(...takeBack)).toContain('is here already');
    // It is whole: its machines let the engine in, and its state knows what is there.
    await scale('unheard', 3);
    await user.untilReady('unheard');
    const now = await machinesOf('unheard');
    expect(now).toHaveLength(5);
    expect(now).toEqual(expect.arrayContaining([...(machines.get('unheard') ?? [])]));
    machines.set('unheard', now);
    expect(await backup.histories()).toEqual(histories);
  });

  it('goes on with what was held once a person confirms', async () => {
    await user.delete('grown');
    await user.until('grown', ({ status }) => status?.failure?.code === 'Recovering');
    await expectUntouched();

    expect(await platform.crate('recovery', 'confirm', '--by', 'ada')).toContain('cloud-mgmt');
    expect(await platform.crate('recovery')).not.toContain('Recovering');
    for (const cluster of ['grown', 'given-up']) await user.untilGone(cluster);
    expect(await machinesOf('grown')).toEqual([]);
    await expectUntouched(['scaled', 'unheard']);
  });
});
