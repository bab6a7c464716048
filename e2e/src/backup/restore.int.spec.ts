import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findCondition, type Infrastructure } from '@crate/api';
import { CratePlatform, eventually } from '@crate/testing';
import { CrateUser } from '../crate-user.js';
import { BaseBackup } from './base-backup.js';

const CLUSTERS = ['lifecycle.crate.dev/v1alpha1', 'Cluster'] as const;
const ACCOUNT = { apiVersion: 'cloud.crate.dev/v1alpha1', kind: 'CloudAccount', namespace: 'team-a', name: 'sandbox' };
const SETTLE_MS = 20_000;

interface CloudObject {
  readonly type: string;
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
}

let platform: CratePlatform;
let user: CrateUser;
let backup: BaseBackup;
/** By cluster, just before the disaster. */
const machines = new Map<string, readonly string[]>();
let lostRevision: string;

beforeAll(async () => {
  platform = await CratePlatform.start({
    settings: { CRATE_SWEEP_GRACE_MS: '1s', CRATE_SWEEP_EVERY_MS: '60s' },
  });
  user = await CrateUser.of(platform);
});
afterAll(async () => {
  await backup?.remove();
  await platform?.remove();
});

async function everyMachine(): Promise<readonly CloudObject[]> {
  const all = JSON.parse(await platform.crate('sandbox', 'inventory', '-o', 'json')) as CloudObject[];
  return all.filter(({ type }) => type === 'aws_instance');
}

async function machinesOf(cluster: string): Promise<readonly string[]> {
  const all = await everyMachine();
  return all
    .filter(({ tags }) => tags['crate.dev/cluster'] === cluster)
    .map(({ id }) => id)
    .sort();
}

async function scale(name: string, replicas: number): Promise<void> {
  await user.applyDemo(name, (spec) => {
    spec['nodePools'] = [{ name: 'workers', replicas, machineType: 'm5.xlarge' }];
  });
}

async function infrastructureOf(cluster: string): Promise<Infrastructure> {
  const { items } = await user.api.list('cloud.crate.dev/v1alpha1', 'Infrastructure', { namespace: 'team-a' });
  const found = items.find(({ metadata }) => metadata.name.startsWith(cluster));
  if (!found) throw new Error(`${cluster} has no Infrastructure`);
  return found as Infrastructure;
}

async function expectUntouched(): Promise<void> {
  for (const cluster of ['scaled', 'unheard']) expect(await machinesOf(cluster)).toEqual(machines.get(cluster));
  expect(await machinesOf('given-up')).toEqual([]);
}

describe('a backup that is restored', () => {
  it('is taken while the platform works', async () => {
    await user.applyQuickstart('given-up');
    await scale('scaled', 2);
    await user.untilReady('given-up');
    await user.untilReady('scaled');
    backup = await BaseBackup.take(await platform.databaseUrl());
  });

  it('knows nothing of what happened after it', async () => {
    await scale('unheard', 2);
    await scale('scaled', 3);
    await user.delete('given-up');
    await user.untilReady('unheard');
    await user.untilReady('scaled');
    await user.untilGone('given-up');
    for (const cluster of ['scaled', 'unheard']) machines.set(cluster, await machinesOf(cluster));
    // With the bastion.
    expect(machines.get('scaled')).toHaveLength(7);
    expect(machines.get('unheard')).toHaveLength(6);
    lostRevision = (await user.api.list(...CLUSTERS)).resourceVersion;

    await platform.crate('down');
    await backup.restore();
    await platform.up();
    const names = (await user.api.list(...CLUSTERS)).items.map(({ metadata }) => metadata.name);
    expect(names.sort()).toEqual(['given-up', 'scaled']);
  });

  it('is noticed, and clients are told to read anew', async () => {
    const status = await platform.crate('recovery');
    for (const service of ['lifecycle', 'cloud-mgmt', 'cluster-mgmt']) {
      expect(status).toMatch(new RegExp(`${service}\\s+Recovering`));
    }
    const options = { resourceVersion: lostRevision, timeoutMs: 10_000 };
    const watch = user.api.watch(...CLUSTERS, options, AbortSignal.timeout(20_000));
    await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'Gone' });
    const { resourceVersion } = await user.api.list(...CLUSTERS);
    expect(Number(resourceVersion)).toBeGreaterThan(Number(lostRevision));
  });

  it('destroys nothing, makes nothing again, and says what it does not know', async () => {
    const account = await eventually(
      async () => {
        const found = (await user.api.get(ACCOUNT)) as { status?: { conditions?: never[] } };
        expect(findCondition(found.status?.conditions, 'OrphanedResources')).toMatchObject({ status: 'True' });
        return found;
      },
      { timeoutMs: 150_000 },
    );
    expect(JSON.stringify(account.status)).toContain('"cluster":"unheard"');
    await new Promise((next) => setTimeout(next, SETTLE_MS));
    await expectUntouched();
  });

  it('takes over what newer documents ask for again', async () => {
    await scale('scaled', 3);
    await user.untilReady('scaled');
    await expectUntouched();
  });

  it('holds back what would destroy, until a person confirms', async () => {
    await user.delete('scaled');
    const held = await eventually(
      async () => {
        const found = await infrastructureOf('scaled');
        expect(found.status?.failure?.code).toBe('Recovering');
        return found;
      },
      { timeoutMs: 120_000 },
    );
    expect(held.status?.failure?.remedy).toContain('crate recovery confirm');
    await expectUntouched();

    expect(await platform.crate('recovery', 'confirm', '--by', 'ada')).toContain('cloud-mgmt');
    expect(await platform.crate('recovery')).not.toContain('Recovering');
    await user.untilGone('scaled');
    expect(await machinesOf('scaled')).toEqual([]);
    // Nobody knows whose these are: they are told of, and stay.
    expect(await machinesOf('unheard')).toEqual(machines.get('unheard'));
  });
});
