import { describe, expect, it } from '@jest/globals';
import type { KubeObject, Manifest } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { ApplyObjectOptions, TargetCluster } from '@crate/kubernetes';
import type { WantedInstallation } from '../installer.js';
import { aPod, aRecord, aStatefulSet, imageOfVersion, imageOwner, NAME } from '../testing/a-stateful-set.js';
import { KubernetesInstaller } from './kubernetes-installer.js';
import { UPGRADE_ANNOTATION, type UpgradeRecord } from './upgrade-record.js';
import type { StatefulSet } from './workload.js';

const CANARY: WantedInstallation = { version: '1.0.0', next: { version: '1.1.0', stage: 'Canary' } };
const ALL: WantedInstallation = { version: '1.0.0', next: { version: '1.1.0', stage: 'All' } };
const HELD: WantedInstallation = { version: '1.0.0', next: { version: '1.1.0', stage: 'Held' } };

/** One set and its pods, and what was asked for. */
class Cluster {
  readonly applied: { readonly object: Manifest; readonly options: ApplyObjectOptions }[] = [];
  readonly asked: unknown[] = [];
  problem: Error | undefined;

  constructor(
    private readonly set: StatefulSet | undefined,
    private readonly pods: readonly KubeObject[] = [],
  ) {}

  readonly find: TargetCluster['find'] = (ref) => this.answer(ref, this.set);
  readonly get: TargetCluster['get'] = (ref) => this.answer(ref, this.set as KubeObject);
  readonly list: TargetCluster['list'] = (apiVersion, kind, options) =>
    this.answer({ apiVersion, kind, ...options }, { resourceVersion: '1', items: this.pods });
  readonly applyObject: TargetCluster['applyObject'] = (object, options) => {
    this.applied.push({ object, options });
    return this.answer(undefined, this.set as KubeObject);
  };

  private answer<T>(asked: unknown, value: T): Promise<T> {
    this.asked.push(asked);
    return this.problem ? Promise.reject(this.problem) : Promise.resolve(value);
  }
}

function installerOf(cluster: Cluster, digest?: string): KubernetesInstaller {
  return new KubernetesInstaller({
    ...{ cluster: () => Promise.resolve(cluster), namespace: 'crate-system', fullname: 'crate' },
    digestOf: (_, version) => (version === '1.1.0' ? digest : undefined),
    now: () => new Date('2026-11-22T12:00:00Z'),
  });
}

/** What the set was told; undefined: nothing. */
async function told(
  set: StatefulSet,
  wanted: WantedInstallation,
  pods: readonly KubeObject[] = [],
): Promise<{ image: string; partition: number; record: UpgradeRecord | undefined } | undefined> {
  const cluster = new Cluster(set, pods);
  await installerOf(cluster).ensure('policy-mgmt', wanted);
  const [first] = cluster.applied;
  if (!first) return undefined;
  const { spec, metadata } = first.object as unknown as StatefulSet;
  const text = metadata.annotations?.[UPGRADE_ANNOTATION];
  return {
    image: spec.template.spec.containers[0]?.image ?? '',
    partition: spec.updateStrategy?.rollingUpdate?.partition ?? -1,
    record: text === undefined ? undefined : (JSON.parse(text) as UpgradeRecord),
  };
}

const PINNED = `${imageOfVersion('1.0.0')}@sha256:${'0'.repeat(64)}`;
const underWay = (changes: Parameters<typeof aStatefulSet>[0] = {}): StatefulSet =>
  aStatefulSet({ image: imageOfVersion('1.1.0'), partition: 1, record: aRecord('Canary'), ...changes });

describe('KubernetesInstaller', () => {
  it('sees the set of the component, and those pods that are its own', async () => {
    const foreign = aPod(1, '1.1.0');
    foreign.metadata.ownerReferences = [];
    const cluster = new Cluster(aStatefulSet(), [aPod(0, '1.0.0'), foreign]);
    const found = await installerOf(cluster).observe('policy-mgmt');
    expect(found?.slots.map(({ isReady }) => isReady)).toEqual([true, false]);
    expect(cluster.asked).toEqual([
      { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: 'crate-system', name: NAME },
      {
        ...{ apiVersion: 'v1', kind: 'Pod', namespace: 'crate-system' },
        labelSelector: 'app.kubernetes.io/component=policy-mgmt',
      },
    ]);
  });

  it('knows nothing of a component that is not there', async () => {
    expect(await installerOf(new Cluster(undefined)).observe('policy-mgmt')).toBeUndefined();
  });

  it('says image, partition and what it needs to go back in one request, on what it has seen', async () => {
    const cluster = new Cluster(aStatefulSet());
    await installerOf(cluster).ensure('policy-mgmt', CANARY);
    expect(cluster.applied).toEqual([
      {
        object: {
          ...{ apiVersion: 'apps/v1', kind: 'StatefulSet' },
          metadata: {
            ...{ name: NAME, namespace: 'crate-system', resourceVersion: '7' },
            annotations: { [UPGRADE_ANNOTATION]: JSON.stringify(aRecord('Canary')) },
          },
          spec: {
            updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
            template: { spec: { containers: [{ name: 'policy-mgmt', image: imageOfVersion('1.1.0') }] } },
          },
        },
        options: { fieldManager: 'crate-components', force: true },
      },
    ]);
  });

  it.each<{ name: string; set: StatefulSet; wanted: WantedInstallation; want: Awaited<ReturnType<typeof told>> }>([
    {
      name: 'tries a version with the last of five pods',
      set: aStatefulSet({ replicas: 5 }),
      wanted: CANARY,
      want: { image: imageOfVersion('1.1.0'), partition: 4, record: aRecord('Canary') },
    },
    {
      name: 'tries it with the only pod there is',
      set: aStatefulSet({ replicas: 1 }),
      wanted: CANARY,
      want: { image: imageOfVersion('1.1.0'), partition: 0, record: aRecord('Canary') },
    },
    { name: 'says nothing twice', set: underWay(), wanted: CANARY, want: undefined },
    {
      name: 'keeps its canary when pods come behind it',
      set: underWay({ replicas: 6 }),
      wanted: CANARY,
      want: undefined,
    },
    {
      name: 'takes another canary when the one it had was one too many',
      set: underWay({ replicas: 1 }),
      wanted: CANARY,
      want: { image: imageOfVersion('1.1.0'), partition: 0, record: aRecord('Canary') },
    },
    {
      name: 'then means all of them',
      set: underWay(),
      wanted: ALL,
      want: { image: imageOfVersion('1.1.0'), partition: 0, record: aRecord('All') },
    },
    {
      name: 'forgets the way when it is there',
      set: underWay({ partition: 0, record: aRecord('All') }),
      wanted: { version: '1.1.0' },
      want: { image: imageOfVersion('1.1.0'), partition: 0, record: undefined },
    },
    {
      name: 'goes back to the very image that was there',
      set: underWay({ record: aRecord('Canary', PINNED) }),
      wanted: { version: '1.0.0' },
      want: { image: PINNED, partition: 0, record: undefined },
    },
    {
      name: 'goes on after another has set what is wanted now',
      set: aStatefulSet({ image: imageOfVersion('1.2.0'), partition: 1, record: aRecord('Canary') }),
      wanted: { version: '1.2.0' },
      want: { image: imageOfVersion('1.2.0'), partition: 0, record: undefined },
    },
  ])('$name', async ({ set, wanted, want }) => {
    expect(await told(set, wanted)).toEqual(want);
  });

  it.each([
    { name: 'the last pod, which alone has it', versions: ['1.0.0', '1.0.0', '1.0.0', '1.1.0'], want: 3 },
    { name: 'the one that becomes ready just now', versions: ['1.0.0', '1.0.0', '1.1.0', '1.1.0'], want: 2 },
    { name: 'the last, while none has it', versions: ['1.0.0', '1.0.0', '1.0.0'], want: 3 },
    { name: 'the last, while it lacks it', versions: ['1.1.0', '1.0.0', '1.0.0', '1.0.0'], want: 3 },
    { name: 'the last, where none is there', versions: [], want: 3 },
    { name: 'the last, where the first was made anew', versions: ['1.1.0', '1.0.0', '1.0.0', '1.1.0'], want: 3 },
  ])('holds an upgrade of four at $name', async ({ versions, want }) => {
    const set = underWay({ replicas: 4, partition: 0, record: aRecord('All') });
    const pods = versions.map((version, index) => aPod(index, version, { isReady: index < 2 }));
    const partition = { image: imageOfVersion('1.1.0'), partition: want, record: aRecord('All') };
    expect(await told(set, HELD, pods)).toEqual(partition);
  });

  it('says nothing where it is held already, nor where all have it', async () => {
    const held = underWay({ replicas: 4, partition: 2, record: aRecord('All') });
    expect(await told(held, HELD, [aPod(0, '1.0.0'), aPod(1, '1.0.0'), aPod(3, '1.1.0')])).toBeUndefined();
    const done = underWay({ partition: 0, record: aRecord('All') });
    expect(await told(done, HELD, [aPod(0, '1.1.0'), aPod(1, '1.1.0')])).toBeUndefined();
  });

  it('asks for the very image that was signed, where the index says its digest', async () => {
    const digest = `sha256:${'5'.repeat(64)}`;
    const signed = `${imageOfVersion('1.1.0')}@${digest}`;
    const cluster = new Cluster(aStatefulSet());
    await installerOf(cluster, digest).ensure('policy-mgmt', CANARY);
    const { spec, metadata } = cluster.applied[0]?.object as unknown as StatefulSet;
    expect(spec.template.spec.containers).toEqual([{ name: 'policy-mgmt', image: signed }]);
    const record = JSON.parse(metadata.annotations?.[UPGRADE_ANNOTATION] ?? '') as UpgradeRecord;
    expect(record).toMatchObject({ from: { image: imageOfVersion('1.0.0') }, to: { version: '1.1.0', image: signed } });
    const after = aStatefulSet({ image: signed, record });
    expect(await installerOf(new Cluster(after)).observe('policy-mgmt')).toMatchObject({ version: '1.0.0' });
    expect(await told(after, { version: '1.1.0' })).toMatchObject({ image: signed, record: undefined });
  });

  it('does not overwrite what somebody else has set, and says who', async () => {
    const managedFields = [imageOwner('kubectl-set')];
    const cluster = new Cluster(underWay({ image: imageOfVersion('1.2.0'), managedFields }));
    await expect(installerOf(cluster).ensure('policy-mgmt', CANARY)).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringMatching(/set to 1\.2\.0 by kubectl-set/),
      details: { reason: 'ChangedFromOutside' },
    });
    expect(cluster.applied).toEqual([]);
  });

  it('lets the silence of the API through', async () => {
    const cluster = new Cluster(aStatefulSet());
    cluster.problem = new PlatformError('Unavailable', 'Nobody answers');
    await expect(installerOf(cluster).observe('policy-mgmt')).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(installerOf(cluster).ensure('policy-mgmt', CANARY)).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
