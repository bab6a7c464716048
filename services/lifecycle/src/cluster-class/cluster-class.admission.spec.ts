import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER_CLASS } from '@crate/api';
import { toStatus } from '@crate/errors';
import { newer, STANDARD, standard } from '../testing/a-class.js';
import { ClassBench, OWN_SPEC, refOf } from '../testing/class-bench.js';

let bench: ClassBench;
beforeEach(() => {
  bench = new ClassBench();
});

function parameters(workers: Record<string, unknown>): Record<string, unknown> {
  return { parameters: { ...STANDARD.parameters, properties: { ...STANDARD.parameters.properties, workers } } };
}

async function causesOf(spec: Record<string, unknown>): Promise<Record<string, string>> {
  const error = await bench.writeClass('standard', spec).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { details, code } = toStatus(error);
  expect(code).toBe(422);
  return Object.fromEntries((details?.causes ?? []).map(({ field, message }) => [field ?? '', message ?? '']));
}

describe('a class that clusters can be made of', () => {
  it.each([
    { name: 'one without parameters', spec: { template: { controlPlane: { replicas: 1 } } } },
    { name: 'one that says nothing', spec: { template: {} } },
    {
      name: 'one with everything',
      spec: { ...STANDARD, locked: ['kubernetes.version', 'nodePools[workers]', 'nodePools[*].labels[team]'] },
    },
    {
      name: 'one whose text cannot be guessed',
      spec: {
        parameters: { type: 'object', required: ['region'], properties: { region: { type: 'string' } } },
        template: { region: '${params.region}' },
      },
    },
    {
      name: 'one that means a dollar sign',
      spec: { template: { nodePools: [{ name: 'a', labels: { x: '$${y}' } }] } },
    },
  ])('is stored: $name', async ({ spec }) => {
    expect(await bench.writeClass('standard', spec)).toMatchObject({ created: true, warnings: [] });
  });
});

describe('a class whose version of Kubernetes has left the list', () => {
  const retired = { kubernetes: { version: 'v1.29.9' } };

  beforeEach(async () => {
    await bench.classBefore('standard', standard(retired));
  });

  it('goes on being changed, and warns', async () => {
    const { warnings } = await bench.writeClass('standard', standard({ ...retired, addOns: [] }));
    expect(warnings).toEqual([
      expect.stringMatching(
        /^spec\.template\.kubernetes\.version: Invalid value: "v1\.29\.9": must be a version that rke supports: .*; it stays as it was$/,
      ),
    ]);
  });

  it('takes no other one that has left it, and is told of nothing else', async () => {
    const causes = await causesOf(standard({ kubernetes: { version: 'v1.29.14' } }));
    expect(Object.keys(causes)).toEqual(['spec.template.kubernetes.version']);
  });

  it('is still refused for what is wrong besides', async () => {
    const causes = await causesOf(standard({ ...retired, controlPlane: { replicas: 2 } }));
    expect(Object.keys(causes)).toEqual(['spec.template.controlPlane.replicas']);
  });
});

describe('a class that no cluster could be made of is refused, naming the field', () => {
  const broken: { name: string; spec: Record<string, unknown>; field: string; says: string }[] = [
    {
      name: 'a schema of another type',
      spec: standard({}, { parameters: { type: 'string' } }),
      field: 'spec.parameters.type',
      says: 'must be "object" at the top',
    },
    {
      name: 'a type that JSON schema has not',
      spec: standard({}, parameters({ type: 'int' })),
      field: 'spec.parameters.properties.workers.type',
      says: 'supported values: "string", "integer"',
    },
    {
      name: 'a keyword that is none',
      spec: standard({}, parameters({ type: 'integer', minimun: 1 })),
      field: 'spec.parameters.properties.workers.minimun',
      says: 'no use for this keyword',
    },
    {
      name: 'a default that does not fit',
      spec: standard({}, parameters({ type: 'integer', maximum: 5, default: 7 })),
      field: 'spec.parameters.properties.workers.default',
      says: 'must be at most 5',
    },
    {
      name: 'a pattern that is none',
      spec: standard({}, parameters({ type: 'string', pattern: '(' })),
      field: 'spec.parameters.properties.workers.pattern',
      says: 'regular expression',
    },
    {
      name: 'a required parameter that is none',
      spec: standard({}, { parameters: { ...STANDARD.parameters, required: ['size', 'nothing'] } }),
      field: 'spec.parameters.required',
      says: '"nothing" is none',
    },
    {
      name: 'a mistyped parameter',
      spec: standard({ controlPlane: { replicas: '${params.wrokers}' } }),
      field: 'spec.template.controlPlane.replicas',
      says: 'No such key: wrokers',
    },
    {
      name: 'an expression that does not end',
      spec: standard({ controlPlane: { replicas: '${params.workers' } }),
      field: 'spec.template.controlPlane.replicas',
      says: 'close every',
    },
    {
      name: 'a text for a number',
      spec: standard({ controlPlane: { replicas: '${params.size}' } }),
      field: 'spec.template.controlPlane.replicas',
      says: 'must be a number',
    },
    {
      name: 'a number that only some parameters make wrong',
      spec: standard({ controlPlane: { replicas: '${params.workers}' } }),
      field: 'spec.template.controlPlane.replicas',
      says: 'must be odd',
    },
    {
      name: 'a parameter that may be absent',
      spec: standard({ nodePools: [{ name: 'a', labels: { team: '${params.team}' } }] }),
      field: 'spec.template.nodePools[0].labels.team',
      says: 'No such key: team',
    },
    {
      name: 'a field that clusters do not have',
      spec: standard({ nodepools: [] }),
      field: 'spec.template.nodepools',
      says: 'no such field',
    },
    {
      name: 'what each cluster says for itself',
      spec: standard({ paused: true }),
      field: 'spec.template.paused',
      says: 'each cluster',
    },
    {
      name: 'a lock on nothing',
      spec: standard({}, { locked: ['kubernetes.versoin'] }),
      field: 'spec.locked[0]',
      says: 'path of a field',
    },
    {
      name: 'a constraint that is no condition',
      spec: standard({}, { constraints: [{ expression: 'params.workers', message: 'No' }] }),
      field: 'spec.constraints[0].expression',
      says: 'must give a bool',
    },
  ];

  it.each(broken)('$name', async ({ spec, field, says }) => {
    expect(await causesOf(spec)).toEqual({ [field]: expect.stringContaining(says) });
  });
});

describe('a change of a class in use', () => {
  beforeEach(async () => {
    await bench.writeClass('standard', standard());
    await bench.applyCluster('follows', { ...OWN_SPEC, classRef: { name: 'standard' }, parameters: { size: 'small' } });
    const own = { kubernetes: { version: 'v1.30.8' } };
    await bench.applyCluster('decides', {
      ...OWN_SPEC,
      ...own,
      classRef: { name: 'standard' },
      parameters: { size: 'small' },
    });
  });

  it.each([{ dryRun: true }, { dryRun: false }])(
    'tells what it would bring to whom (dry run: $dryRun)',
    async ({ dryRun }) => {
      const { warnings } = await bench.writeClass('standard', newer(), dryRun);
      expect(warnings).toEqual([
        'This changes 1 of 2 clusters of the class; none is moved before it is told to',
        'team-a/follows: spec.kubernetes.version: "v1.31.4" -> "v1.31.8"',
      ]);
    },
  );

  it('tells whose parameters it would not take any more', async () => {
    const { warnings } = await bench.writeClass(
      'standard',
      newer(parameters({ type: 'integer', minimum: 3, default: 3 })),
    );
    expect(warnings[0]).toContain('2 of 2');
    await bench.mergeCluster('follows', { spec: { parameters: { workers: 1 } } });
    const strict = await bench.writeClass('standard', newer(parameters({ type: 'integer', minimum: 4, default: 4 })));
    expect(strict.warnings.join('\n')).toContain('team-a/follows: would be refused: spec.parameters.workers');
  });

  it('tells whose spec would break a constraint, though it changes nothing else', async () => {
    const constraints = [{ expression: 'self.spec.kubernetes.version != "v1.30.8"', message: 'Too old' }];
    const { warnings } = await bench.writeClass('standard', standard({}, { constraints }), true);
    expect(warnings).toEqual([
      'This changes 1 of 2 clusters of the class; none is moved before it is told to',
      'team-a/decides: would be refused: spec: Too old',
    ]);
  });

  it('says that a rollout begins by itself when that is so', async () => {
    const { warnings } = await bench.writeClass('standard', newer({ rollout: { strategy: 'Automatic' } }));
    expect(warnings[0]).toContain('moved a few at a time');
  });

  it('says that who would be refused is not counted among those that are moved', async () => {
    const constraints = [{ expression: 'self.spec.kubernetes.version != "v1.30.8"', message: 'Too old' }];
    const rollout = { strategy: 'Automatic' };
    const { warnings } = await bench.writeClass('standard', standard({}, { constraints, rollout }), true);
    expect(warnings[0]).toContain('but for 1 that stay as they are');
  });

  it('says who is not moved then', async () => {
    const rollout = { strategy: 'Automatic' };
    const pinned = { name: 'standard', revision: 1 };
    await bench.applyCluster('pinned', { ...OWN_SPEC, classRef: pinned, parameters: { size: 'small' } });
    await bench.applyCluster('paused', {
      ...OWN_SPEC,
      classRef: { name: 'standard' },
      parameters: { size: 'small' },
      paused: true,
    });
    const { warnings } = await bench.writeClass('standard', newer({ rollout }), true);
    expect(warnings[0]).toBe(
      'This changes 3 of 4 clusters of the class; they are moved a few at a time, but for 2 that stay as they are',
    );
  });

  it('says nothing when only the rollout changes and nobody is behind', async () => {
    const { warnings } = await bench.writeClass('standard', standard({}, { rollout: { strategy: 'Automatic' } }));
    expect(warnings).toEqual([]);
  });

  const AUTOMATIC = { strategy: 'Automatic' };
  it.each([
    { name: 'becomes automatic', before: {}, after: AUTOMATIC },
    { name: 'is paused no longer', before: { ...AUTOMATIC, paused: true }, after: AUTOMATIC },
    { name: 'moves more at a time', before: AUTOMATIC, after: { ...AUTOMATIC, maxConcurrent: 5 } },
    { name: 'takes more failures', before: AUTOMATIC, after: { ...AUTOMATIC, maxFailures: 5 } },
  ])('tells whom a rollout brings what when it $name', async ({ before, after }) => {
    await bench.writeClass('standard', newer({ rollout: before }));
    const { warnings } = await bench.writeClass('standard', newer({ rollout: after }), true);
    expect(warnings).toEqual([
      'This changes 1 of 2 clusters of the class; they are moved a few at a time',
      'team-a/follows: spec.kubernetes.version: "v1.31.4" -> "v1.31.8"',
    ]);
  });

  it.each([
    { name: 'is manual', after: { maxConcurrent: 5 } },
    { name: 'is paused', after: { ...AUTOMATIC, paused: true } },
  ])('says nothing of a rollout that $name', async ({ after }) => {
    await bench.writeClass('standard', newer());
    expect((await bench.writeClass('standard', newer({ rollout: after }))).warnings).toEqual([]);
  });

  it('cannot delete it, and says who uses it (409)', async () => {
    const deletion = bench.api.remove(
      refOf(CLUSTER_CLASS, 'standard'),
      {},
      { caller: { user: 'ada', groups: [] }, traceId: 't' },
    );
    const status = toStatus(await deletion.catch((error: unknown) => error));
    expect(status).toMatchObject({
      code: 409,
      message:
        'ClusterClass "standard" is in use by team-a/decides, team-a/follows; give these clusters another class first',
      details: { causes: [{ message: 'cluster team-a/decides' }, { message: 'cluster team-a/follows' }] },
    });
  });
});

describe('a class that is to be deleted and held by a finalizer', () => {
  const PERSON = { caller: { user: 'ada', groups: [] }, traceId: 't' };
  const ref = refOf(CLUSTER_CLASS, 'standard');
  const CLUSTER = { ...OWN_SPEC, classRef: { name: 'standard' }, parameters: { size: 'small' } };
  const finalizers = (list: readonly string[]): Promise<unknown> =>
    bench.api.patch(ref, { metadata: { finalizers: list } }, { type: 'merge' }, PERSON);

  beforeEach(async () => {
    await bench.writeClass('standard', standard());
    await finalizers(['example.com/held']);
    await bench.api.remove(ref, {}, PERSON);
  });

  it('takes no new cluster, neither one that has another class', async () => {
    await bench.writeClass('other', standard());
    await bench.applyCluster('demo', { ...CLUSTER, classRef: { name: 'other' } });
    for (const name of ['new', 'demo']) {
      const write = bench.applyCluster(name, CLUSTER);
      await expect(write).rejects.toThrow('spec.classRef.name: Invalid value: "standard": is being deleted');
    }
  });

  it('goes with the last finalizer where nobody uses it', async () => {
    await finalizers([]);
    await expect(bench.theClass('standard')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('stays when the last finalizer is taken off while a cluster uses it (409)', async () => {
    const { spec } = { spec: { ...CLUSTER, classRef: { name: 'standard', revision: 1 }, nodePools: [] } };
    const stored = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', spec };
    // One that came into being just when the class was deleted.
    await bench.store.create({ ...stored, metadata: { name: 'crossed', namespace: 'team-a' } } as never);
    const status = toStatus(await finalizers([]).catch((error: unknown) => error));
    expect(status).toMatchObject({ code: 409, details: { causes: [{ message: 'cluster team-a/crossed' }] } });
  });
});

describe('a revision', () => {
  it('cannot be written by people', async () => {
    await bench.writeClass('standard', standard());
    await bench.applyCluster('demo', { ...OWN_SPEC, classRef: { name: 'standard' }, parameters: { size: 'small' } });
    const [revision] = await bench.revisions.list();
    expect(revision).toMatchObject({
      metadata: { name: 'standard-1' },
      spec: { revision: 1, template: STANDARD.template },
    });
    const ref = refOf(bench.revisions.kind, 'standard-1');
    const person = { caller: { user: 'ada', groups: ['platform-admin'] }, traceId: 't' };
    const patch = bench.api.patch(ref, { spec: { locked: ['region'] } }, { type: 'merge' }, person);
    await expect(patch).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(bench.api.remove(ref, {}, person)).rejects.toMatchObject({ code: 'Forbidden' });
  });
});
