import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER, type KubeObject, type KubeObjectInput } from '@crate/api';
import { failing } from '../fixtures/failing.js';
import { aCluster, CLUSTERS, CONTEXT, localApi, type LocalFixture, refTo } from '../fixtures/local-api.js';

const REF = refTo(CLUSTERS, 'demo');

let fixture: LocalFixture;
beforeEach(() => {
  fixture = localApi();
});

async function create(object: KubeObjectInput = aCluster(), options = {}): Promise<KubeObject> {
  return (await fixture.api.create(CLUSTERS, object, options, CONTEXT)).object;
}

describe('create', () => {
  it('stores the object with defaults and system metadata', async () => {
    const result = await fixture.api.create(CLUSTERS, aCluster(), {}, CONTEXT);
    expect(result).toMatchObject({ created: true, warnings: [] });
    expect(result.object).toMatchObject({
      metadata: { name: 'demo', namespace: 'team-a', generation: 1, resourceVersion: '1' },
      spec: { controlPlane: { replicas: 3 }, nodePools: [{ name: 'workers', replicas: 2, diskGiB: 50 }] },
    });
    expect(await fixture.api.get(REF, CONTEXT)).toEqual(result.object);
  });

  it('ignores status and system metadata of the document', async () => {
    const metadata = { name: 'demo', namespace: 'team-a', uid: 'mine', generation: 7, creationTimestamp: 'long ago' };
    const object = await create({ ...aCluster(), metadata, status: { version: 'v9' } });
    expect(object).not.toHaveProperty('status');
    expect(object.metadata).toMatchObject({ generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' });
    expect(object.metadata.uid).not.toBe('mine');
  });

  it('is not done before anybody saw it, where somebody reconciles the kind', async () => {
    fixture = localApi({ definition: CLUSTER, isReconciled: true });
    const made = await create({ ...aCluster(), status: { observedGeneration: 7 } });
    expect(made.status).toEqual({ observedGeneration: 0 });
    const apply = { type: 'apply', fieldManager: 'flux' } as const;
    const { object } = await fixture.api.patch(refTo(CLUSTERS, 'applied'), aCluster('applied'), apply, CONTEXT);
    expect(object).toMatchObject({ metadata: { generation: 1 }, status: { observedGeneration: 0 } });
    const again = await fixture.api.patch(refTo(CLUSTERS, 'applied'), aCluster('applied'), apply, CONTEXT);
    expect(again.object).toEqual(object);
  });

  it('makes a name from generateName', async () => {
    const { metadata } = await create({ ...aCluster(), metadata: { generateName: 'demo-', namespace: 'team-a' } });
    expect(metadata.name).toMatch(/^demo-[a-z0-9]{5}$/);
    expect(metadata.generateName).toBe('demo-');
  });

  it.each([
    { name: 'another kind', change: { kind: 'Project' }, want: failing('BadRequest', 'kind') },
    { name: 'another version', change: { apiVersion: 'v2' }, want: failing('BadRequest', 'apiVersion') },
    { name: 'no namespace', change: { metadata: { name: 'x' } }, want: failing('BadRequest', 'namespaced') },
    {
      name: 'no name',
      change: { metadata: { namespace: 'team-a' } },
      want: failing('InvalidSpec', 'metadata.name: Required value'),
    },
    {
      name: 'a resourceVersion',
      change: { metadata: { name: 'x', namespace: 'team-a', resourceVersion: '1' } },
      want: failing('BadRequest', 'resourceVersion'),
    },
    {
      name: 'a bad name beside a field that nobody knows, naming both',
      change: { metadata: { name: 'Bad_Name', namespace: 'team-a' }, colour: 'red' },
      want: failing('BadRequest', 'unknown field "colour"; also metadata.name: Invalid value: "Bad_Name"'),
    },
    {
      name: 'metadata that nobody knows, with what was meant',
      change: { metadata: { name: 'x', namespace: 'team-a', label: { tier: 'gold' } } },
      want: failing('BadRequest', 'unknown field "metadata.label" \\(did you mean "labels"\\?\\)'),
    },
    { name: 'metadata that is no object', change: { metadata: 'x' }, want: failing('BadRequest', 'metadata') },
  ])('refuses $name', async ({ change, want }) => {
    await expect(create({ ...aCluster(), ...change } as unknown as KubeObjectInput)).rejects.toEqual(want);
  });

  it('says what metadata it left out, where that is allowed', async () => {
    const object = { ...aCluster(), metadata: { name: 'x', namespace: 'team-a', colour: 'red' } } as KubeObjectInput;
    const { warnings } = await fixture.api.create(CLUSTERS, object, { fieldValidation: 'Warn' }, CONTEXT);
    expect(warnings).toEqual(['unknown field "metadata.colour"']);
  });

  it('refuses a namespace for a cluster-scoped kind', async () => {
    const project = {
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'Project',
      metadata: { name: 'x', namespace: 'y' },
    };
    const type = { ...CLUSTERS, plural: 'projects' };
    await expect(fixture.api.create(type, project, {}, CONTEXT)).rejects.toEqual(
      failing('BadRequest', 'cluster-scoped'),
    );
  });

  it('refuses a name that is taken', async () => {
    await create();
    await expect(create()).rejects.toEqual(
      failing('AlreadyExists', '^clusters.lifecycle.crate.dev "demo" already exists$'),
    );
    await expect(create(aCluster(), { dryRun: true })).rejects.toEqual(failing('AlreadyExists'));
  });

  it('names every bad field of an invalid document', async () => {
    const spec = { controlPlane: { replicas: 2 }, region: 'nowhere' };
    await expect(create(aCluster('demo', spec))).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringMatching(
        /^Cluster.lifecycle.crate.dev "demo" is invalid: \[spec.region: Invalid value: "nowhere": must be/,
      ) as unknown,
      details: {
        group: 'lifecycle.crate.dev',
        kind: 'Cluster',
        name: 'demo',
        causes: [{ field: 'spec.region' }, { field: 'spec.controlPlane.replicas' }],
      },
    });
  });

  it('stores nothing in a dry run, but answers as if', async () => {
    const object = await create(aCluster(), { dryRun: true });
    expect(object.metadata.uid).not.toBe('');
    await expect(fixture.api.get(REF, CONTEXT)).rejects.toEqual(
      failing('NotFound', 'clusters.lifecycle.crate.dev "demo"'),
    );
  });
});
