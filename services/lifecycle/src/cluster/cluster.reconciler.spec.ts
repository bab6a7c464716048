import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  ADD_ON,
  CLUSTER,
  conditionFalse,
  findCondition,
  mergeConditions,
  type AddOnInstallation,
  type Cluster,
  type KubernetesCluster,
  type Manifest,
} from '@crate/api';
import { conflict, unavailable } from '@crate/errors';
import type { ResourceApi } from '@crate/resource-client';
import { anAddOn } from '../testing/a-cluster.js';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';
import { CLUSTER_FINALIZER } from './cluster.reconciler.js';

const POOL = { name: 'workers', machineType: 'm5.xlarge' };

let platform: InMemoryPlatform;
beforeEach(async () => {
  platform = new InMemoryPlatform();
  await platform.start();
});

async function cluster(): Promise<Cluster | undefined> {
  return platform.clusters.find('demo', 'team-a');
}

async function kubernetes(): Promise<KubernetesCluster | undefined> {
  return platform.kubernetesClusters.find('demo', 'team-a');
}

/** Passes and settled children in turns, until the cluster is Ready or gone. */
async function converge(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await platform.pass();
    await platform.settleChildren();
    const found = await cluster();
    if (!found) return;
    const ready = findCondition(found.status?.conditions, 'Ready');
    if (ready?.status === 'True' && ready.observedGeneration === found.metadata.generation) return;
  }
  throw new Error('Did not converge');
}

async function installed(): Promise<string[]> {
  return (await platform.installations.list({ namespace: 'team-a' })).map((each) => each.spec.addOn).sort();
}

async function scaleWorkers(replicas: number): Promise<void> {
  const patch = { spec: { nodePools: [{ ...POOL, replicas }] } };
  await platform.clusters.merge('demo', 'team-a', patch);
}

/** As cloud-mgmt says it of the infrastructure as it is asked for, whichever of it is made. */
async function tellStopped(): Promise<void> {
  const found = (await platform.infrastructures.find('demo', 'team-a'))!;
  const stopped = conditionFalse('Ready', 'MachineStopped', 'Machine workers-0 (i-0) is stopped');
  const about = { generation: found.metadata.generation, now: new Date(0) };
  const conditions = mergeConditions(found.status?.conditions, [stopped], about);
  await platform.infrastructures.saveStatus(found, { ...found.status, conditions });
}

/** The API, with each call and the kind that it is about in `calls`. */
function noting(api: ResourceApi, calls: string[]): ResourceApi {
  return new Proxy(api, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]): unknown => {
        calls.push(`${String(property)} ${(args[0] as { readonly plural: string }).plural}`);
        return Reflect.apply(value, target, args);
      };
    },
  });
}

describe('ClusterReconciler', () => {
  it('forgets a key whose cluster is gone', async () => {
    await platform.clusters.remove('demo', 'team-a');

    expect(await platform.pass()).toMatchObject({ kind: 'settled', isGone: true });
  });

  it('claims the finalizer before it makes the first child', async () => {
    platform.policies.answer = unavailable('policy-mgmt is away');
    await platform.pass();

    expect((await cluster())?.metadata.finalizers).toEqual([CLUSTER_FINALIZER]);
    expect(await kubernetes()).toBeUndefined();
  });

  it('creates nothing without a verdict, and says that it has none', async () => {
    platform.policies.answer = unavailable('policy-mgmt is away');

    expect(await platform.pass()).toMatchObject({ code: 'Unavailable' });
    expect(findCondition((await cluster())?.status?.conditions, 'PolicyCompliant')?.status).toBe('Unknown');
  });

  it('asks for the infrastructure only when the SSH key is made', async () => {
    expect(await platform.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForSshKey' });
    expect(await platform.infrastructures.find('demo', 'team-a')).toBeUndefined();

    await platform.settleChildren();
    expect(await platform.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForInfrastructure' });
    expect((await platform.infrastructures.find('demo', 'team-a'))?.spec.sshPublicKey).toBe('ssh-ed25519 AAAA');
  });

  it('looks less often for a child that has been under way for long, and as often as ever once something moved', async () => {
    await platform.pass();
    await platform.settleChildren();
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForInfrastructure', retryAfterMs: 15_000 });
    const later = new Date(Date.now() + 15 * 60_000);
    platform.now = () => later;
    expect(await platform.pass()).toMatchObject({
      reason: 'WaitingForInfrastructure',
      retryAfterMs: expect.closeTo(90_000, -4),
    });

    await platform.settleChildren();
    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForKubernetes', retryAfterMs: 15_000 });
  });

  it('becomes Ready with add-ons installed, dependencies first', async () => {
    const order: string[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      await platform.pass();
      for (const name of await installed()) if (!order.includes(name)) order.push(name);
      await platform.settleChildren();
    }

    expect(order).toEqual(['baseline', 'docs']);
    const status = (await cluster())?.status;
    expect(findCondition(status?.conditions, 'Ready')?.status).toBe('True');
    expect(status?.nodes).toEqual({ ready: 5, desired: 5 });
  });

  it('writes nothing in a second pass over a settled cluster', async () => {
    await converge();
    await platform.pass();
    const before = await platform.store.currentRevision();

    expect(await platform.pass()).toEqual({ kind: 'settled' });
    expect(await platform.store.currentRevision()).toBe(before);
  });

  it('states nothing anew in a pass over a cluster on its way, nor over a settled one', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await platform.pass();
      const patch = jest.spyOn(platform.api, 'patch').mockClear();
      await platform.pass();
      expect(patch).not.toHaveBeenCalled();
      await platform.settleChildren();
    }
    await converge();
    const patch = jest.spyOn(platform.api, 'patch').mockClear();
    await platform.pass();
    expect(patch).not.toHaveBeenCalled();
  });

  it('scales up by machines first, nodes after', async () => {
    await converge();
    await scaleWorkers(4);
    await platform.pass();

    const pool = (await platform.infrastructures.find('demo', 'team-a'))?.spec.machineGroups.find(
      (group) => group.name === 'workers',
    );
    expect(pool?.replicas).toBe(4);
    expect((await kubernetes())?.spec.nodes).toHaveLength(5);
    await converge();
    expect((await kubernetes())?.spec.nodes).toHaveLength(7);
  });

  it('goes on with what is there while a machine stands still, and is not Ready before it runs', async () => {
    await converge();
    await scaleWorkers(4);
    await platform.pass();
    for (let turn = 0; turn < 3; turn += 1) {
      await platform.settleChildren();
      await tellStopped();
      expect(await platform.pass()).toMatchObject({ kind: 'waiting' });
    }

    expect((await kubernetes())?.spec.nodes).toHaveLength(7);
    const conditions = (await cluster())?.status?.conditions;
    expect(findCondition(conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'WaitingForInfrastructure' });
    await converge();
  });

  it('waits for an infrastructure that is not made as asked for, whatever of it stands still', async () => {
    await converge();
    await scaleWorkers(4);
    await platform.pass();
    await tellStopped();

    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForInfrastructure' });
    expect((await kubernetes())?.spec.nodes).toHaveLength(5);
  });

  it('has the cloud open ports of the load balancer that are asked for, and close them again', async () => {
    const network = async (): Promise<unknown> => (await platform.infrastructures.find('demo', 'team-a'))?.spec.network;
    await converge();
    const closed = await network();
    const loadBalancerPorts = [{ port: 443, nodePort: 30_443 }];
    await platform.clusters.merge('demo', 'team-a', { spec: { network: { loadBalancerPorts } } });
    await platform.pass();
    expect(await network()).toEqual({ ...(closed as object), loadBalancerPorts });
    await platform.clusters.merge('demo', 'team-a', { spec: { network: { loadBalancerPorts: null } } });
    await platform.pass();
    expect(await network()).toEqual(closed);
  });

  it('scales down by nodes first, machines after', async () => {
    await converge();
    await scaleWorkers(1);

    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForNodesToLeave' });
    expect((await kubernetes())?.spec.nodes.map((node) => node.name)).not.toContain('demo-workers-1');
    const machines = (await platform.infrastructures.find('demo', 'team-a'))?.spec.machineGroups;
    expect(machines?.find((group) => group.name === 'workers')?.replicas).toBe(2);
    await converge();
    const after = (await platform.infrastructures.find('demo', 'team-a'))?.spec.machineGroups;
    expect(after?.find((group) => group.name === 'workers')?.replicas).toBe(1);
  });

  it.each([
    { reason: 'in the same write that leaves another out', others: 2 },
    { reason: 'while another is on its way', others: 1 },
  ])('keeps a node that is asked for again $reason', async ({ others }) => {
    const scale = async (replicas: readonly [workers: number, others: number]): Promise<void> => {
      const nodePools = ['workers', 'others'].map((name, index) => ({ ...POOL, name, replicas: replicas[index] }));
      await platform.clusters.merge('demo', 'team-a', { spec: { nodePools } });
    };
    await scale([2, 2]);
    await converge();
    await scale([1, others]);
    await platform.pass();
    await scale([2, 1]);

    expect(await platform.pass()).toMatchObject({ reason: 'WaitingForNodesToLeave' });
    const names = (await kubernetes())?.spec.nodes.map(({ name }) => name);
    expect(names).toContain('demo-workers-1');
    expect(names).not.toContain('demo-others-1');
    expect((await cluster())?.status?.progress?.message).toContain('demo-others-1');
    const revision = await platform.store.currentRevision();
    await platform.pass();
    expect(await platform.store.currentRevision()).toBe(revision);
  });

  it('takes an add-on away with what only it needed, dependents first', async () => {
    await converge();
    await platform.clusters.merge('demo', 'team-a', { spec: { addOns: [] } });
    await platform.pass();
    expect(await installed()).toEqual(['baseline']);
    await converge();
    expect(await installed()).toEqual([]);
  });

  it('installs an add-on with the values of the cluster, and in the version that it stays on', async () => {
    const { spec } = anAddOn('docs', 'baseline');
    const manifest = { ...spec.manifests[0], data: { size: '${string(values.size)}' } } as Manifest;
    const valuesSchema = { type: 'object', properties: { size: { type: 'integer', default: 1 } } };
    const older = { version: '0.9.0', dependsOn: [], manifests: spec.manifests };
    const addOn = { ...spec, valuesSchema, manifests: [manifest], earlier: [older] };
    await platform.for(ADD_ON).merge('docs', undefined, { spec: addOn });
    const install = async (asked: object): Promise<AddOnInstallation['spec'] | undefined> => {
      await platform.clusters.merge('demo', 'team-a', { spec: { addOns: [{ name: 'docs', ...asked }] } });
      await converge();
      return (await platform.installations.find('demo-docs', 'team-a'))?.spec;
    };

    expect(await install({})).toMatchObject({ version: '1.0.0', manifests: [{ data: { size: '1' } }] });
    expect(await install({ values: { size: 4 } })).toMatchObject({ manifests: [{ data: { size: '4' } }] });
    expect(await install({ version: '0.9.0' })).toMatchObject({ version: '0.9.0', manifests: spec.manifests });
    expect(await installed()).toEqual(['docs']);
  });

  it.each([
    { reason: 'a version that the catalogue forgot', asked: { version: '0.1.0' }, code: 'AddOnVersionNotFound' },
    { reason: 'values that no longer fit', asked: { values: { size: 1 } }, code: 'AddOnValuesInvalid' },
  ])('keeps what is installed and says what to do, of $reason', async ({ asked, code }) => {
    await converge();
    await platform.clusters.merge('demo', 'team-a', { spec: { addOns: [{ name: 'docs', ...asked }] } });
    await platform.pass();
    expect((await cluster())?.status?.failure).toMatchObject({
      code,
      field: expect.stringContaining('spec.addOns[0].') as unknown,
    });
    expect((await platform.installations.find('demo-docs', 'team-a'))?.spec).toMatchObject({ version: '1.0.0' });
  });

  it('leaves a paused cluster alone', async () => {
    await platform.clusters.merge('demo', 'team-a', { spec: { paused: true } });

    expect(await platform.pass()).toEqual({ kind: 'settled' });
    expect(await kubernetes()).toBeUndefined();
    expect(findCondition((await cluster())?.status?.conditions, 'Paused')?.status).toBe('True');
  });

  it('asks nobody about children of a paused cluster that never had any, and writes its status alone', async () => {
    const calls: string[] = [];
    platform = new InMemoryPlatform((api) => noting(api, calls));
    await platform.start({ paused: true, addOns: [{ name: 'docs' }] });

    expect(await platform.pass()).toEqual({ kind: 'settled' });

    expect(calls).toEqual(['get clusters', 'update clusters']);
  });

  it('tears down backwards and drops the finalizer last', async () => {
    await converge();
    await platform.clusters.remove('demo', 'team-a');
    const seen: string[] = [];
    for (let turn = 0; turn < 12 && (await cluster()); turn += 1) {
      await platform.pass();
      const left = [
        ...(await installed()),
        ...((await kubernetes()) ? ['k'] : []),
        ...((await platform.infrastructures.list()).length ? ['i'] : []),
      ];
      if (seen.at(-1) !== left.join()) seen.push(left.join());
    }

    expect(seen).toEqual(['baseline,k,i', 'k,i', '']);
    expect(await cluster()).toBeUndefined();
  });

  it('does not touch a child that belongs to another cluster of the same name', async () => {
    const spec = {
      accountRef: { name: 'x' },
      clusterName: 'demo',
      clusterUid: 'other',
      region: 'us-east-1',
      network: { vpcCidr: '10.0.0.0/16', availabilityZones: 1 },
      machineGroups: [{ name: 'a', role: 'worker', replicas: 1, machineType: 'm5.large', diskGiB: 50 }],
      sshPublicKey: 'ssh-ed25519 BBBB',
    };
    await platform.infrastructures.ensure({ metadata: { name: 'demo', namespace: 'team-a' }, spec }, 'someone');
    await platform.pass();
    await platform.settleChildren();
    await platform.pass();

    expect((await cluster())?.status?.failure).toMatchObject({ code: 'NameTaken', retryable: false });
    expect((await platform.infrastructures.find('demo', 'team-a'))?.spec.clusterUid).toBe('other');
  });
});

describe('what people are told', () => {
  it('names each step once, as the children come to it, and a settled cluster tells nothing', async () => {
    await converge();
    expect(platform.events.reasons).toEqual([
      'Normal PolicyCompliant',
      'Normal ControlPlaneReady',
      'Normal NodesReady',
      'Normal InfrastructureReady',
      'Normal AddOnsReady',
      'Normal Ready',
    ]);
    await platform.pass();
    expect(platform.events.events).toHaveLength(6);
  });

  it('tells of a paused cluster that it is, and of rules only when it breaks one and then does no more', async () => {
    await platform.clusters.merge('demo', 'team-a', { spec: { paused: true } });
    await platform.pass();
    expect(platform.events.reasons).toEqual(['Normal Paused']);

    platform.policies.answer = { allowed: false, violations: [] };
    await platform.pass();
    platform.policies.answer = { allowed: true, violations: [] };
    await platform.pass();
    expect(platform.events.reasons).toEqual(['Normal Paused', 'Warning PolicyViolated', 'Normal PolicyCompliant']);
  });

  it('says that it works on a change, and that it is done', async () => {
    await converge();
    platform.events.events.length = 0;
    await scaleWorkers(5);
    await converge();
    expect(platform.events.reasons).toEqual(expect.arrayContaining(['Normal Updating', 'Normal Ready']));
    expect(platform.events.reasons.filter((reason) => reason.startsWith('Warning'))).toEqual([]);
  });

  it('counts a failure of its own every time, and leaves those of children to them', async () => {
    platform.policies.answer = unavailable('policy-mgmt is away');
    await platform.pass();
    await platform.pass();
    expect(platform.events.reasons).toEqual(['Warning PolicyUnavailable', 'Warning PolicyUnavailable']);
  });

  it('says nothing of a race that was lost and is run again at once, but of one that is lost every time', async () => {
    await converge();
    const before = await cluster();
    platform.events.events.length = 0;
    platform.policies.answer = conflict('Somebody else wrote first');

    expect(await platform.pass()).toMatchObject({ code: 'Conflict' });
    expect(await cluster()).toEqual(before);
    expect(platform.events.reasons).toEqual([]);

    await platform.pass(5);
    expect(findCondition((await cluster())?.status?.conditions, 'Ready')).toMatchObject({ status: 'False' });
  });

  it('tells of the deletion from its beginning to its end', async () => {
    await converge();
    platform.events.events.length = 0;
    await platform.clusters.remove('demo', 'team-a');
    for (let turn = 0; turn < 10; turn += 1) await platform.pass();
    expect(platform.events.reasons).toEqual(['Normal Deleting', 'Normal Deleted']);
  });
});

describe('the finalizer of a cluster', () => {
  const ref = { ...CLUSTER, name: 'demo', namespace: 'team-a' };
  const PERSON = { caller: { user: 'olga', groups: [] }, traceId: 'trace' };

  it('stays while the cluster is paused, so that a deletion takes what it has with it', async () => {
    await converge();
    await platform.ofPeople.merge('demo', 'team-a', { spec: { paused: true }, metadata: { finalizers: null } });
    await platform.pass();
    await platform.ofPeople.remove('demo', 'team-a');
    expect((await cluster())?.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      finalizers: [CLUSTER_FINALIZER],
    });
    await converge();
    expect(await cluster()).toBeUndefined();
    expect(await platform.infrastructures.list()).toEqual([]);
  });

  it('stays when the cluster is replaced by a document without it while it is being deleted', async () => {
    await converge();
    await platform.ofPeople.remove('demo', 'team-a');
    const { metadata, ...rest } = (await cluster())!;
    const { finalizers: _none, ...stated } = metadata;
    const document = { ...rest, metadata: { ...stated, labels: { team: 'a' } } };
    await platform.api.update(ref, document, {}, PERSON);
    expect((await cluster())?.metadata).toMatchObject({ labels: { team: 'a' }, finalizers: [CLUSTER_FINALIZER] });
  });
});
