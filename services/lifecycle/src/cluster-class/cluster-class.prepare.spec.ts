import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER, CLUSTER_CLASS, type Cluster } from '@crate/api';
import { toStatus } from '@crate/errors';
import { newer, standard } from '../testing/a-class.js';
import { ClassBench, OWN_SPEC, refOf } from '../testing/class-bench.js';
import { APPROVED_PLAN_ANNOTATION, markText } from '../plan/approved-plan.js';
import { WishedWrite } from '../plan/wished-write.js';
import { HELD_ANNOTATION, MOVE_ANNOTATION, ROLLOUT_ANNOTATION } from './class-marks.js';

const SERVICE = { caller: { user: 'system:lifecycle', groups: [], service: 'lifecycle' }, traceId: 'trace' };
const SHORT = { ...OWN_SPEC, classRef: { name: 'standard' }, parameters: { size: 'large', workers: 4, team: 'red' } };

/** What `standard` makes of SHORT. */
const WHOLE = {
  ...SHORT,
  classRef: { name: 'standard', revision: 1 },
  kubernetes: { engine: 'rke', version: 'v1.31.4' },
  controlPlane: { replicas: 3, machineType: 'm5.large', diskGiB: 50 },
  nodePools: [{ name: 'workers', replicas: 4, machineType: 'm5.2xlarge', diskGiB: 50, labels: { team: 'red' } }],
  addOns: [{ name: 'docs' }],
  paused: false,
};

let bench: ClassBench;
beforeEach(async () => {
  bench = new ClassBench();
  await bench.writeClass('standard', standard());
});

async function causesOf(write: Promise<unknown>, want = 422): Promise<Record<string, string>> {
  const error = await write.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { details, code } = toStatus(error);
  expect(code).toBe(want);
  return Object.fromEntries((details?.causes ?? []).map(({ field, message }) => [field ?? '', message ?? '']));
}

const MARK = markText({ name: 'move', uid: 'u', digest: 'd', generation: 2 });

/** What a plan that is not carried out gives back. */
async function takeBack({ spec, metadata }: Cluster): Promise<void> {
  const former = { spec, owners: metadata.managedFields };
  await new WishedWrite(bench.api, SERVICE).takeBack(await bench.cluster('demo'), former);
}

function move(revision: string): Promise<unknown> {
  return bench.mergeCluster('demo', { metadata: { annotations: { [MOVE_ANNOTATION]: revision } } });
}

describe('a cluster of a class', () => {
  it.each([
    { how: 'created', write: () => bench.createCluster('demo', SHORT) },
    { how: 'applied', write: () => bench.applyCluster('demo', SHORT) },
    { how: 'applied in a dry run', write: () => bench.applyCluster('demo', SHORT, { dryRun: true }) },
  ])('is stored whole, with its revision, when $how', async ({ write }) => {
    expect((await write()).spec).toMatchObject(WHOLE);
  });

  it('keeps an empty object among the values of an add-on, which may stand in the place of a default', async () => {
    const values = { nodeSelector: {}, more: { labels: {} } };
    const stated = { ...SHORT, addOns: [{ name: 'docs', values }] };
    const { spec } = await bench.applyCluster('demo', stated);
    expect(spec.addOns).toEqual([{ name: 'docs', values }]);
    const before = await bench.cluster('demo');
    expect(await bench.applyCluster('demo', stated)).toEqual(before);
    expect(await bench.putCluster('demo', stated)).toEqual(before);
  });

  it('has what the class gives within an object that is stated empty', async () => {
    const addOns = [{ name: 'docs', values: { nodeSelector: { disk: 'ssd' } } }];
    await bench.writeClass('standard', standard({ addOns }));
    const stated = { ...SHORT, addOns: [{ name: 'docs', values: { nodeSelector: {} } }] };
    expect((await bench.applyCluster('demo', stated)).spec.addOns).toEqual(addOns);
    expect((await bench.putCluster('demo', stated)).spec.addOns).toEqual(addOns);
  });

  it('records no revision of the class in a dry run', async () => {
    await bench.applyCluster('demo', SHORT, { dryRun: true });
    expect(await bench.revisions.list()).toEqual([]);
  });

  it.each([
    { how: 'applied', write: () => bench.applyCluster('demo', SHORT) },
    { how: 'put', write: () => bench.putCluster('demo', SHORT) },
    { how: 'put whole', write: async () => bench.putCluster('demo', { ...(await bench.cluster('demo')).spec }) },
    {
      how: 'patched with null',
      write: () => bench.mergeCluster('demo', { spec: { kubernetes: null, classRef: { revision: null } } }),
    },
  ])('is the same, generation and all, when the same is $how again', async ({ write }) => {
    await bench.applyCluster('demo', SHORT);
    const before = await bench.cluster('demo');
    expect(await write()).toEqual(before);
  });

  it('stays as it is when its class changes, also when the same is applied again', async () => {
    await bench.applyCluster('demo', SHORT);
    const before = await bench.cluster('demo');
    await bench.writeClass('standard', newer());
    expect(await bench.applyCluster('demo', SHORT)).toEqual(before);
    expect((await bench.applyCluster('later', SHORT)).spec).toMatchObject({
      classRef: { revision: 2 },
      kubernetes: { version: 'v1.31.8' },
    });
  });

  it('follows its parameters', async () => {
    await bench.applyCluster('demo', SHORT);
    const { spec } = await bench.applyCluster('demo', { ...SHORT, parameters: { size: 'small' } });
    expect(spec).toMatchObject({
      controlPlane: { replicas: 1 },
      nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.large' }],
    });
    expect(spec.nodePools[0]).not.toHaveProperty('labels');
  });

  it('may state more, and otherwise than its class', async () => {
    const own = {
      kubernetes: { version: 'v1.30.8' },
      nodePools: [{ name: 'extra' }, { name: 'workers', replicas: 7 }],
      addOns: [{ name: 'shop' }],
    };
    const { spec } = await bench.applyCluster('demo', { ...SHORT, ...own });
    expect(spec).toMatchObject({
      kubernetes: { version: 'v1.30.8' },
      nodePools: [
        { name: 'workers', replicas: 7, machineType: 'm5.2xlarge' },
        { name: 'extra', replicas: 1 },
      ],
      addOns: [{ name: 'docs' }, { name: 'shop' }],
    });
    expect((await bench.applyCluster('demo', SHORT)).spec).toMatchObject(WHOLE);
  });

  it('keeps all it has when it leaves its class', async () => {
    await bench.applyCluster('demo', SHORT);
    const { spec } = await bench.mergeCluster('demo', { spec: { classRef: null, parameters: null } });
    const { classRef: _ref, parameters: _parameters, ...described } = WHOLE;
    expect(spec).toMatchObject(described);
    expect(spec.classRef).toBeUndefined();
  });

  it('becomes one of another class, at the newest revision of that', async () => {
    await bench.writeClass('standard', newer());
    await bench.applyCluster('demo', SHORT);
    await bench.writeClass('other', standard({ controlPlane: { replicas: 5 } }));
    const { spec } = await bench.applyCluster('demo', { ...SHORT, classRef: { name: 'other' } });
    expect(spec).toMatchObject({
      classRef: { name: 'other', revision: 1 },
      kubernetes: { version: 'v1.31.4' },
      controlPlane: { replicas: 5 },
    });
  });

  it('has its former revision again when a plan for another class is taken back', async () => {
    await bench.applyCluster('demo', SHORT);
    await bench.writeClass('standard', newer());
    await bench.applyCluster('newest', SHORT);
    const before = await bench.cluster('demo');
    await bench.writeClass('other', standard());
    await bench.applyCluster('another', { ...SHORT, classRef: { name: 'other' } });
    await bench.writeClass('other', standard({ controlPlane: { replicas: 5 } }, { deletionProtection: true }));
    const annotations = { [APPROVED_PLAN_ANNOTATION]: MARK };
    const moved = { metadata: { annotations }, spec: { classRef: { name: 'other' }, deletionProtection: true } };
    expect((await bench.mergeCluster('demo', moved)).spec.classRef).toEqual({ name: 'other', revision: 2 });
    await takeBack(before);
    expect((await bench.cluster('demo')).spec).toEqual(before.spec);
    const state = await bench.classes.preview.stateOf(await bench.cluster('demo'));
    expect(state).toMatchObject({ revision: 1, newestRevision: 2, isPinned: false });
  });

  it('follows its class in what a plan changed that is taken back', async () => {
    await bench.applyCluster('demo', SHORT);
    const before = await bench.cluster('demo');
    const annotations = { [APPROVED_PLAN_ANNOTATION]: MARK };
    await bench.mergeCluster('demo', { metadata: { annotations }, spec: { kubernetes: { version: 'v1.31.8' } } });
    await takeBack(before);
    await bench.writeClass('standard', newer());
    await move('2');
    expect((await bench.cluster('demo')).spec.kubernetes.version).toBe('v1.31.8');
  });

  it('can be given a class when it exists already: what it states stays', async () => {
    const own = { kubernetes: { version: 'v1.30.8' }, nodePools: [{ name: 'mine', machineType: 'm5.xlarge' }] };
    await bench.applyCluster('demo', { ...OWN_SPEC, ...own });
    const { spec } = await bench.applyCluster('demo', {
      ...OWN_SPEC,
      ...own,
      classRef: { name: 'standard' },
      parameters: { size: 'small' },
    });
    expect(spec).toMatchObject({
      kubernetes: { version: 'v1.30.8' },
      controlPlane: { replicas: 1 },
      nodePools: [{ name: 'workers' }, { name: 'mine', machineType: 'm5.xlarge' }],
    });
  });

  it('is not held up by a class that is gone', async () => {
    await bench.applyCluster('demo', SHORT);
    await bench.store.remove({ group: CLUSTER_CLASS.group, kind: 'ClusterClass', namespace: '', name: 'standard' });
    expect((await bench.mergeCluster('demo', { spec: { paused: true } })).spec).toMatchObject({
      ...WHOLE,
      paused: true,
    });
  });
});

describe('a cluster whose class was made anew under its name', () => {
  const clusterClass = { group: CLUSTER_CLASS.group, kind: 'ClusterClass', namespace: '', name: 'standard' };
  beforeEach(async () => {
    await bench.applyCluster('demo', SHORT);
    await bench.writeClass('standard', newer());
    await bench.applyCluster('later', SHORT);
    await bench.store.remove(clusterClass);
    for (const { metadata } of await bench.revisions.list()) await bench.revisions.remove(metadata.name);
    await bench.writeClass('standard', newer());
  });

  it.each([
    { how: 'patched', write: () => bench.mergeCluster('later', { spec: { paused: true } }) },
    { how: 'applied', write: () => bench.applyCluster('later', { ...SHORT, paused: true }) },
  ])('is changed as before when $how, and keeps its revision', async ({ write }) => {
    const { spec } = await bench.cluster('later');
    expect((await write()).spec).toEqual({ ...spec, paused: true });
  });

  it('is told so, and moves to one that there is', async () => {
    const patch = { spec: { paused: true } };
    const ref = refOf(CLUSTER, 'later', 'team-a');
    const { warnings } = await bench.api.patch(ref, patch, { type: 'merge' }, SERVICE);
    expect(warnings).toEqual([expect.stringContaining('Revision 2 of ClusterClass "standard" is gone')]);
    await bench.mergeCluster('later', { metadata: { annotations: { [MOVE_ANNOTATION]: 'newest' } } });
    expect((await bench.cluster('later')).spec.classRef).toEqual({ name: 'standard', revision: 1 });
  });

  it('is not held below what was the newest revision before', async () => {
    const annotations = { [HELD_ANNOTATION]: '7', [ROLLOUT_ANNOTATION]: '2' };
    const marked = await bench.mergeCluster('later', { metadata: { annotations } });
    expect(await bench.classes.preview.stateOf(marked)).toMatchObject({ newestRevision: 1, isPinned: false });
    const { metadata } = await bench.mergeCluster('later', { spec: { paused: true } });
    expect(metadata.annotations).toBeUndefined();
  });

  it('may not ask for one that there is not', async () => {
    const write = bench.applyCluster('later', { ...SHORT, classRef: { name: 'standard', revision: 7 } });
    expect(await causesOf(write)).toEqual({ 'spec.classRef.revision': expect.stringContaining('that is kept') });
  });
});

describe('a move to another revision', () => {
  beforeEach(async () => {
    await bench.applyCluster('demo', SHORT);
    await bench.writeClass('standard', newer({ deletionProtection: true }));
    await bench.applyCluster('other', SHORT);
  });

  it.each([
    { how: 'by its number', revision: '2' },
    { how: 'by name', revision: 'newest' },
  ])('is asked for by an annotation, $how, and leaves nothing but the new spec', async ({ revision }) => {
    await move(revision);
    const moved = await bench.cluster('demo');
    expect(moved.spec).toMatchObject({
      classRef: { revision: 2 },
      kubernetes: { version: 'v1.31.8' },
      deletionProtection: true,
    });
    expect(moved.metadata.annotations).toBeUndefined();
    await move(revision);
    expect(await bench.cluster('demo')).toEqual(moved);
    expect(await bench.applyCluster('demo', SHORT)).toEqual(moved);
  });

  it('goes on by itself once the revision that a patch stated is taken out', async () => {
    const isPinned = async (): Promise<unknown> =>
      (await bench.classes.preview.stateOf(await bench.cluster('demo')))?.isPinned;
    await bench.mergeCluster('demo', { spec: { classRef: { revision: 1 } } });
    expect(await isPinned()).toBe(true);
    await bench.mergeCluster('demo', { spec: { classRef: { revision: null } } });
    expect(await isPinned()).toBe(false);
    expect((await bench.cluster('demo')).spec.classRef).toEqual({ name: 'standard', revision: 1 });
  });

  it('is asked for by stating the revision', async () => {
    const { spec } = await bench.applyCluster('demo', { ...SHORT, classRef: { name: 'standard', revision: 2 } });
    expect(spec).toMatchObject({ kubernetes: { version: 'v1.31.8' } });
  });

  it('goes back as well', async () => {
    await move('2');
    await move('1');
    expect((await bench.cluster('demo')).spec).toMatchObject(WHOLE);
    expect((await bench.cluster('demo')).spec.deletionProtection).toBeUndefined();
  });

  it('says below which revision it stays, until it is told to go to the newest', async () => {
    await move('1');
    expect((await bench.cluster('demo')).metadata.annotations).toEqual({ [HELD_ANNOTATION]: '2' });
    await move('newest');
    expect((await bench.cluster('demo')).metadata.annotations).toBeUndefined();
  });

  it('says nothing of that, nor of a rollout, any more once the cluster is of another class', async () => {
    await move('1');
    await bench.mergeCluster('demo', { metadata: { annotations: { [ROLLOUT_ANNOTATION]: '1' } } });
    await bench.writeClass('other', standard());
    const { metadata } = await bench.applyCluster('demo', { ...SHORT, classRef: { name: 'other' } });
    expect(metadata.annotations).toBeUndefined();
  });

  it.each([
    {
      how: 'server-side apply',
      state: (spec: Record<string, unknown>) => bench.applyCluster('demo', { ...SHORT, ...spec }),
    },
    {
      how: 'client-side apply',
      state: (spec: Record<string, unknown>) => {
        const document = JSON.stringify({ spec: { ...SHORT, ...spec } });
        const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': document };
        return bench.mergeCluster('demo', { metadata: { annotations }, spec });
      },
    },
    { how: 'a patch', state: (spec: Record<string, unknown>) => bench.mergeCluster('demo', { spec }) },
  ])('leaves alone what is stated by $how, though the class said the same', async ({ state }) => {
    await state({ kubernetes: { version: 'v1.31.4' } });
    await move('2');
    expect((await bench.cluster('demo')).spec).toMatchObject({
      classRef: { revision: 2 },
      kubernetes: { version: 'v1.31.4' },
      deletionProtection: true,
    });
  });

  it('never touches what a cluster cannot change, stated or not', async () => {
    await bench.writeClass(
      'standard',
      newer({
        template: { kubernetes: { version: 'v1.31.8' }, region: 'eu-central-1', network: { podCidr: '10.99.0.0/16' } },
      }),
    );
    await bench.applyCluster('other', { ...SHORT, parameters: { size: 'small' } });
    await move('newest');
    const { spec } = await bench.cluster('demo');
    expect(spec).toMatchObject({
      region: 'us-east-1',
      network: { podCidr: '10.42.0.0/16' },
      classRef: { revision: 3 },
    });
  });

  it('takes pools away that the class dropped, but none that somebody has a part in', async () => {
    await bench.mergeCluster('other', { spec: { nodePools: [{ ...WHOLE.nodePools[0], replicas: 9 }] } });
    await bench.writeClass('standard', newer({ template: { kubernetes: { version: 'v1.31.8' } } }));
    await move('newest');
    expect((await bench.cluster('demo')).spec.nodePools).toEqual([]);
    await bench.mergeCluster('other', { metadata: { annotations: { [MOVE_ANNOTATION]: 'newest' } } });
    expect((await bench.cluster('other')).spec.nodePools).toMatchObject([
      { name: 'workers', replicas: 9, machineType: 'm5.2xlarge' },
    ]);
  });

  it.each([
    { name: 'one that never was', revision: '9', says: 'kept: 1, 2' },
    { name: 'no number', revision: 'latest', says: 'kept: 1, 2' },
  ])('to $name is refused, naming those there are', async ({ revision, says }) => {
    expect(await causesOf(move(revision))).toEqual({
      [`metadata.annotations[${MOVE_ANNOTATION}]`]: expect.stringContaining(says),
    });
  });
});

describe('a cluster that its class cannot take is refused, naming the field', () => {
  const refused: { name: string; spec: Record<string, unknown>; want: Record<string, string> }[] = [
    {
      name: 'a parameter of another type',
      spec: { parameters: { size: 'large', workers: 'many' } },
      want: { 'spec.parameters.workers': 'Invalid value: "many": must be of type integer' },
    },
    {
      name: 'a parameter out of range, and one missing',
      spec: { parameters: { workers: 11 } },
      want: {
        'spec.parameters.size': 'Required value',
        'spec.parameters.workers': 'Invalid value: 11: must be at most 10',
      },
    },
    {
      name: 'a choice that is none',
      spec: { parameters: { size: 'huge' } },
      want: { 'spec.parameters.size': 'Unsupported value: "huge": supported values: "small", "large"' },
    },
    {
      name: 'a parameter that the class has not',
      spec: { parameters: { size: 'small', sise: 'large' } },
      want: { 'spec.parameters.sise': 'Forbidden: the class has no such parameter; known: size, team, workers' },
    },
    { name: 'no parameters', spec: { parameters: undefined }, want: { 'spec.parameters.size': 'Required value' } },
    {
      name: 'an unknown class',
      spec: { classRef: { name: 'nothing' } },
      want: { 'spec.classRef.name': 'Invalid value: "nothing": must name a ClusterClass; known: standard' },
    },
    {
      name: 'an unknown revision',
      spec: { classRef: { name: 'standard', revision: 7 } },
      want: { 'spec.classRef.revision': 'Invalid value: 7: must be a revision of the class that is kept: 1' },
    },
    {
      name: 'parameters that are none',
      spec: { parameters: 'large' },
      want: { 'spec.parameters': 'Invalid value: "large": must be an object' },
    },
  ];

  it.each(refused)('$name', async ({ spec, want }) => {
    expect(await causesOf(bench.applyCluster('demo', { ...SHORT, ...spec }))).toEqual(want);
  });

  it.each([
    {
      name: 'a field',
      locked: 'kubernetes',
      spec: { kubernetes: { version: 'v1.30.8' } },
      field: 'spec.kubernetes.version',
    },
    {
      name: 'a part of every pool',
      locked: 'nodePools[*].machineType',
      spec: { nodePools: [{ name: 'workers', machineType: 'm5.large' }] },
      field: 'spec.nodePools[0].machineType',
    },
    {
      name: 'a list',
      locked: 'nodePools',
      spec: { nodePools: [{ name: 'extra' }] },
      field: 'spec.nodePools[0].name',
    },
    {
      name: 'what the class leaves alone',
      locked: 'network',
      spec: { network: { podCidr: '10.50.0.0/16' } },
      field: 'spec.network.podCidr',
    },
  ])('$name that the class locks', async ({ locked, spec, field }) => {
    await bench.writeClass('standard', standard({}, { locked: [locked] }));
    const causes = await causesOf(bench.applyCluster('demo', { ...SHORT, ...spec }));
    expect(causes).toEqual({ [field]: expect.stringContaining('Forbidden: ClusterClass "standard" locks this field') });
    expect((await bench.applyCluster('demo', SHORT)).spec).toMatchObject(WHOLE);
  });

  it('a constraint that it breaks', async () => {
    const constraints = [
      {
        expression: "params.size != 'large' || self.spec.nodePools.all(pool, pool.replicas >= 3)",
        message: 'Large clusters have three machines in every pool',
        field: 'spec.nodePools',
      },
    ];
    await bench.writeClass('standard', standard({}, { constraints }));
    const write = bench.applyCluster('demo', { ...SHORT, parameters: { size: 'large' } });
    expect(await causesOf(write, 403)).toEqual({
      'spec.nodePools':
        'Invalid value: Large clusters have three machines in every pool (a constraint of ClusterClass "standard")',
    });
    expect((await bench.applyCluster('demo', SHORT)).spec).toMatchObject(WHOLE);
  });

  it.each([
    { name: 'a spec that is none', spec: 'nothing' },
    { name: 'pools that are no list', spec: { ...SHORT, nodePools: 'two' } },
    { name: 'a version where an object must be', spec: { ...SHORT, kubernetes: 'v1.31.4' } },
    { name: 'a class that is no reference', spec: { ...SHORT, classRef: 'standard' } },
    { name: 'twice the same pool', spec: { ...SHORT, nodePools: [{ name: 'a' }, { name: 'a' }] } },
    { name: 'a pool without a name', spec: { ...SHORT, nodePools: [{ replicas: 1 }] } },
  ])('$name', async ({ spec }) => {
    const write = bench.createCluster('demo', spec as Record<string, unknown>);
    await expect(write).rejects.toMatchObject({ code: 'InvalidSpec' });
  });
});
