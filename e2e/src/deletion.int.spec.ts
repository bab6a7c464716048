import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  FORCE_ANNOTATION,
  REMOVE_VOLUMES_ANNOTATION,
  type Cluster,
  type DeletionRecord,
  type Manifest,
} from '@crate/api';
import { HttpTargetCluster } from '@crate/kubernetes';
import { CratePlatform, eventually, SHOP } from '@crate/testing';
import { CrateUser } from './crate-user.js';

const ACCOUNT = '111122223333';
const PATIENCE = { timeoutMs: 180_000 };
const OF_CLUSTERS = ['aws_lb', 'aws_ebs_volume', 'aws_security_group'];

let platform: CratePlatform;
let user: CrateUser;
beforeAll(async () => {
  platform = await CratePlatform.start({ settings: { CRATE_REMOVAL_PATIENCE_MS: '20s' } });
  user = await CrateUser.of(platform);
});
afterAll(async () => platform?.remove());

type Item = Awaited<ReturnType<CratePlatform['inventory']>>[number] & { readonly tags?: Record<string, string> };

async function inventory(): Promise<readonly Item[]> {
  return platform.inventory();
}

/** What controllers in the cluster made, as types. */
async function madeByCluster(): Promise<string[]> {
  const items = await inventory();
  const theirs = items.filter(({ tags = {} }) => tags['crate.dev/infrastructure-uid'] === undefined);
  return theirs.map(({ type }) => type).filter((type) => OF_CLUSTERS.includes(type));
}

/** The same, with a volume of whatever class is the default. */
const OF_DEFAULT_CLASS = SHOP.filter(({ kind }) => kind !== 'StorageClass').map((manifest): Manifest => {
  if (manifest.kind !== 'PersistentVolumeClaim') return manifest;
  const { storageClassName: _named, ...spec } = manifest['spec'] as Record<string, unknown>;
  return { ...manifest, spec };
});

/** The cluster's id, as the driver of volumes in it was told. */
async function toldToDriver(name: string): Promise<string | undefined> {
  const target = new HttpTargetCluster(await platform.crate('kubeconfig', name, '-n', 'team-a'));
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'kube-system', name: 'ebs-csi-controller' };
  const text = JSON.stringify(await target.get(ref));
  await target.close();
  return /--k8s-tag-cluster-id=([a-z0-9-]+)/.exec(text)?.[1];
}

/** A small cluster with a workload that has a load balancer and a volume. */
async function openShop(
  name: string,
  addOns: readonly object[] = [],
  shop: readonly Manifest[] = SHOP,
): Promise<Cluster> {
  await user.applyQuickstart(name, (spec) => {
    spec['addOns'] = addOns;
    spec['controlPlane'] = { replicas: 1, machineType: 'm5.large' };
    spec['nodePools'] = [{ name: 'workers', replicas: 1, machineType: 'm5.xlarge' }];
  });
  const cluster = await user.untilReady(name);
  const target = new HttpTargetCluster(await platform.crate('kubeconfig', name, '-n', 'team-a'));
  for (const manifest of shop) await target.applyObject(manifest, { fieldManager: 'e2e', force: true });
  await target.close();
  await eventually(async () => expect((await madeByCluster()).sort()).toEqual([...OF_CLUSTERS].sort()), PATIENCE);
  return cluster;
}

async function recordOf(cluster: Cluster): Promise<DeletionRecord> {
  const { items } = await user.api.list('cloud.crate.dev/v1alpha1', 'DeletionRecord', { namespace: 'team-a' });
  const found = (items as readonly DeletionRecord[]).find(({ spec }) => spec.cluster.uid === cluster.metadata.uid);
  if (!found) throw new Error('There is no record');
  return found;
}

/** Somebody of the Project, as they reach the API. */
async function as(name: string): Promise<HttpTargetCluster> {
  return new HttpTargetCluster(await platform.crate('kubeconfig', '--user', name));
}

function forced(name: string, reason: string): Manifest {
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name, namespace: 'team-a', annotations: { [FORCE_ANNOTATION]: reason } },
  };
}

describe('the deletion of a cluster', () => {
  it('has the cluster remove its load balancer, and its volume by the shipped driver, while its machines still run', async () => {
    const cluster = await openShop('shop', [{ name: 'aws-ebs-csi-driver' }], OF_DEFAULT_CLASS);
    const volume = (await inventory()).find(({ type }) => type === 'aws_ebs_volume');
    // What the driver is told to tag with is what the deletion looks for.
    expect(volume?.tags).toMatchObject({ [`kubernetes.io/cluster/${await toldToDriver('shop')}`]: 'owned' });
    await user.delete('shop');
    const first = await eventually(async () => {
      const items = await inventory();
      expect(await madeByCluster()).toEqual([]);
      return items;
    }, PATIENCE);
    expect(first.some(({ type }) => type === 'aws_vpc')).toBe(true);
    await user.untilGone('shop');
    expect(await inventory()).toEqual([]);
    const { spec } = await recordOf(cluster);
    expect(spec.proof.inventoryEmptyAt).toBeDefined();
    expect(spec.proof.abandoned).toEqual([]);
  });

  it('removes them itself when the cluster cannot be reached any more, but a volume only when somebody names it', async () => {
    const cluster = await openShop('lost');
    const api = (await inventory()).find(
      ({ type, tags = {} }) => type === 'aws_lb' && tags['crate.dev/cluster'] === 'lost',
    );
    await platform.crate('sandbox', 'remove', 'aws_lb', api!.id, '--account', ACCOUNT);
    await user.delete('lost');
    const waiting = await user.until('lost', ({ status }) => (status?.deletion?.blockers.length ?? 0) > 0);
    expect(waiting.status?.deletion?.blockers).toMatchObject([{ kind: 'KubernetesCluster', reason: 'ConnectionDown' }]);
    expect((await madeByCluster()).sort()).toEqual([...OF_CLUSTERS].sort());
    const asking = await user.until('lost', ({ status }) =>
      (status?.deletion?.blockers ?? []).some(({ reason }) => reason === 'VolumeUndecided'),
    );
    expect(await madeByCluster()).toEqual(['aws_ebs_volume']);
    const volume = asking.status?.deletion?.blockers[0]?.name ?? '';
    const metadata = { name: 'lost', namespace: 'team-a', annotations: { [REMOVE_VOLUMES_ANNOTATION]: volume } };
    await user.api.applyObject(
      { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', metadata },
      { fieldManager: 'e2e-volumes', force: true },
    );
    await user.untilGone('lost');
    expect(await inventory()).toEqual([]);
    expect((await recordOf(cluster)).spec.proof.inventoryEmptyAt).toBeDefined();
  });

  it('says what of somebody else is in the way, and lets an administrator but no operator give it up', async () => {
    const members = [
      { kind: 'User', name: 'otto', role: 'operator' },
      { kind: 'User', name: 'anna', role: 'admin' },
    ];
    const cluster = await openShop('held');
    const metadata = { name: 'team-a' };
    const kind = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Project' };
    await user.apply({ ...kind, metadata, spec: { displayName: 'Team A', members } });
    const vpc = (await inventory()).find(({ type }) => type === 'aws_vpc')!;
    const made = ['create', 'aws_security_group', 'name=by-hand', `vpc_id=${vpc.id}`, '--account', ACCOUNT];
    await platform.crate('sandbox', ...made);

    const anna = await as('anna');
    const otto = await as('otto');
    await expect(
      anna.applyObject(forced('held', 'too early'), { fieldManager: 'anna', force: true }),
    ).rejects.toMatchObject({ code: 'InvalidSpec' });
    await user.delete('held');
    const held = await user.until('held', ({ status }) =>
      (status?.deletion?.blockers ?? []).some(({ name }) => name === vpc.id),
    );
    expect(held.status?.deletion?.blockers).toMatchObject([
      { kind: 'aws_security_group', reason: 'ForeignResource' },
      { kind: 'aws_vpc', name: vpc.id, reason: 'StillInUse' },
    ]);

    await expect(
      otto.applyObject(forced('held', 'the account is closed'), { fieldManager: 'otto', force: true }),
    ).rejects.toMatchObject({ code: 'Forbidden', message: expect.stringContaining('administrator') as unknown });
    expect((await user.find('held'))?.status?.deletion?.forced).toBeUndefined();
    await anna.applyObject(forced('held', 'the account is closed'), { fieldManager: 'anna', force: true });
    await Promise.all([anna.close(), otto.close()]);
    await user.untilGone('held');

    const { spec } = await recordOf(cluster);
    expect(spec.forced).toMatchObject({ by: 'anna', reason: 'the account is closed' });
    expect(spec.proof).toMatchObject({ abandoned: [{ kind: 'aws_vpc', name: vpc.id, account: ACCOUNT }] });
    expect((await inventory()).map(({ type }) => type).sort()).toEqual(['aws_security_group', 'aws_vpc']);
    const reasons = ['DeletionWaiting', 'DeletionForced', 'DeletionProven', 'Abandoned', 'DeletionIncomplete'];
    await eventually(async () => {
      const { items } = await user.api.list('v1', 'Event', { namespace: 'team-a' });
      expect(items.map(({ reason }) => String(reason))).toEqual(expect.arrayContaining(reasons));
    });
  });
});
