import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject, KubeObjectInput } from '@crate/api';
import { forbidden } from '@crate/errors';
import type { AdmissionHook } from '../kinds/served-kind.js';
import {
  aCluster,
  aConfigMap,
  CLUSTERS,
  CONFIG_MAPS,
  CONTEXT,
  localApi,
  type LocalFixture,
  refTo,
  specOf,
} from '../fixtures/local-api.js';
import { at } from '../fixtures/at.js';
import { CONFIG_MAP } from '../fixtures/kinds.js';

const REF = refTo(CLUSTERS, 'demo');
const MAP = refTo(CONFIG_MAPS, 'm');

let fixture: LocalFixture;
beforeEach(() => {
  fixture = localApi();
});

async function create(object: KubeObjectInput = aCluster(), options = {}): Promise<KubeObject> {
  return (await fixture.api.create(CLUSTERS, object, options, CONTEXT)).object;
}

function failing(code: string, message: string | RegExp = ''): unknown {
  return expect.objectContaining({ code, message: expect.stringMatching(message) as unknown });
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
    { name: 'metadata that is no object', change: { metadata: 'x' }, want: failing('BadRequest', 'metadata') },
  ])('refuses $name', async ({ change, want }) => {
    await expect(create({ ...aCluster(), ...change } as unknown as KubeObjectInput)).rejects.toEqual(want);
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

describe('update', () => {
  it('moves the generation with the spec, and not with labels', async () => {
    const object = await create();
    const labelled = { ...object, metadata: { ...object.metadata, labels: { a: 'b' } } };
    const first = await fixture.api.update(REF, labelled, {}, CONTEXT);
    expect(first.object.metadata).toMatchObject({ generation: 1, labels: { a: 'b' } });
    const second = await fixture.api.update(
      REF,
      { ...first.object, spec: { ...specOf(object), paused: true } },
      {},
      CONTEXT,
    );
    expect(second.object.metadata.generation).toBe(2);
  });

  it('refuses a stale version', async () => {
    const object = await create();
    await fixture.api.update(REF, { ...object, spec: { ...specOf(object), paused: true } }, {}, CONTEXT);
    await expect(fixture.api.update(REF, object, {}, CONTEXT)).rejects.toEqual(
      failing('Conflict', 'Operation cannot be fulfilled on clusters.lifecycle.crate.dev "demo": the object has been'),
    );
  });

  it('overwrites when no version is stated', async () => {
    await create();
    const { object } = await fixture.api.update(REF, aCluster('demo', { paused: true }), {}, CONTEXT);
    expect(at(object, '.spec.paused')).toBe(true);
  });

  it('refuses the uid of another object of the same name', async () => {
    const object = await create();
    const other = { ...object, metadata: { ...object.metadata, uid: 'other' } };
    await expect(fixture.api.update(REF, other, {}, CONTEXT)).rejects.toEqual(
      failing('Conflict', 'UID in precondition'),
    );
  });

  it.each([
    { name: 'another name', metadata: { name: 'other', namespace: 'team-a' } },
    { name: 'another namespace', metadata: { name: 'demo', namespace: 'team-b' } },
  ])('refuses $name than the path has', async ({ metadata }) => {
    await create();
    const document = { ...aCluster(), metadata };
    await expect(fixture.api.update(REF, document, {}, CONTEXT)).rejects.toEqual(
      failing('BadRequest', 'does not match'),
    );
  });

  it('ignores the status, which only its subresource writes', async () => {
    const object = await create();
    const written = { ...object, status: { version: 'v1' }, spec: { ...specOf(object), paused: true } };
    const status = await fixture.api.update(REF, written, { subresource: 'status' }, CONTEXT);
    expect(status.object).toMatchObject({
      status: { version: 'v1' },
      spec: { paused: false },
      metadata: { generation: 1 },
    });
    const main = { ...status.object, status: { version: 'v2' } };
    const { object: after } = await fixture.api.update(REF, main, {}, CONTEXT);
    expect(after).toEqual(status.object);
  });

  it('validates the status', async () => {
    const object = await create();
    const status = { ...object, status: { nodes: { ready: 'all' } } };
    await expect(fixture.api.update(REF, status, { subresource: 'status' }, CONTEXT)).rejects.toEqual(
      failing('InvalidSpec', 'status.nodes.ready: Invalid value: "all": must be a number'),
    );
  });

  it('stores nothing when nothing changes', async () => {
    const object = await create();
    const { object: after } = await fixture.api.update(REF, object, {}, CONTEXT);
    expect(after.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
    expect(await fixture.store.currentRevision()).toBe('1');
  });

  it('takes new finalizers only until deletion is asked for', async () => {
    const object = await create({
      ...aCluster(),
      metadata: { name: 'demo', namespace: 'team-a', finalizers: ['a.b/c'] },
    });
    await fixture.api.remove(REF, {}, CONTEXT);
    const more = { ...object, metadata: { name: 'demo', namespace: 'team-a', finalizers: ['a.b/c', 'a.b/d'] } };
    await expect(fixture.api.update(REF, more, {}, CONTEXT)).rejects.toEqual(
      failing('InvalidSpec', 'no new finalizers'),
    );
    const none = { ...more, metadata: { name: 'demo', namespace: 'team-a' } };
    await fixture.api.update(REF, none, {}, CONTEXT);
    await expect(fixture.api.get(REF, CONTEXT)).rejects.toEqual(failing('NotFound'));
  });

  it('does not judge a stored spec again when only metadata changes', async () => {
    const strict = localApi();
    await strict.store.create({ ...aCluster('demo', { controlPlane: { replicas: 2 } }) } as KubeObject);
    const patch = { metadata: { labels: { a: 'b' } } };
    await expect(strict.api.patch(REF, patch, { type: 'merge' }, CONTEXT)).resolves.toMatchObject({ created: false });
  });
});

describe('admission', () => {
  const hooked = (...admit: AdmissionHook[]) => localApi({ ...CONFIG_MAP, admit });

  it('may change the object, warn and see what was before', async () => {
    const seen: unknown[] = [];
    const { api } = hooked(
      ({ operation, object, oldObject }) => {
        seen.push([operation, oldObject?.data]);
        return Promise.resolve({ object: { ...object, data: { a: 'changed' } }, warnings: ['careful'] });
      },
      ({ object }) => {
        seen.push(object.data);
        return Promise.resolve();
      },
    );
    const { object, warnings } = await api.create(CONFIG_MAPS, aConfigMap('m', { a: '1' }), {}, CONTEXT);
    expect(object.data).toEqual({ a: 'changed' });
    expect(warnings).toEqual(['careful']);
    await api.remove(MAP, {}, CONTEXT);
    expect(seen).toEqual([['CREATE', undefined], { a: 'changed' }, ['DELETE', { a: 'changed' }], { a: 'changed' }]);
  });

  it('may refuse every operation', async () => {
    let refused = '';
    const { api } = hooked(({ operation }) =>
      operation === refused ? Promise.reject(forbidden('no')) : Promise.resolve(),
    );
    refused = 'CREATE';
    await expect(api.create(CONFIG_MAPS, aConfigMap('m', {}), {}, CONTEXT)).rejects.toEqual(failing('Forbidden'));
    refused = 'UPDATE';
    await api.create(CONFIG_MAPS, aConfigMap('m', {}), {}, CONTEXT);
    await expect(api.update(MAP, aConfigMap('m', { a: '1' }), {}, CONTEXT)).rejects.toEqual(failing('Forbidden'));
    refused = 'DELETE';
    await expect(api.remove(MAP, {}, CONTEXT)).rejects.toEqual(failing('Forbidden'));
  });
});

describe('patch', () => {
  it('merges (RFC 7386)', async () => {
    await create();
    const patch = { metadata: { labels: { a: 'b' } }, spec: { paused: true, nodePools: null } };
    const { object } = await fixture.api.patch(REF, patch, { type: 'merge' }, CONTEXT);
    expect(object).toMatchObject({ metadata: { labels: { a: 'b' } }, spec: { paused: true, nodePools: [] } });
  });

  it('applies operations (RFC 6902)', async () => {
    await create();
    const patch = [
      { op: 'test', path: '/spec/paused', value: false },
      { op: 'replace', path: '/spec/nodePools/0/replicas', value: 4 },
    ];
    const { object } = await fixture.api.patch(REF, patch, { type: 'json' }, CONTEXT);
    expect(at(object, '.spec.nodePools[0].replicas')).toBe(4);
  });

  it.each([
    { name: 'a failed test', patch: [{ op: 'test', path: '/spec/paused', value: true }], code: 'InvalidSpec' },
    { name: 'a path that is not there', patch: [{ op: 'remove', path: '/spec/nothing/here' }], code: 'InvalidSpec' },
    { name: 'an unknown operation', patch: [{ op: 'turn', path: '/spec' }], code: 'InvalidSpec' },
    { name: 'no list', patch: { op: 'test' }, code: 'BadRequest' },
  ])('refuses $name', async ({ patch, code }) => {
    await create();
    await expect(fixture.api.patch(REF, patch, { type: 'json' }, CONTEXT)).rejects.toEqual(failing(code));
  });

  it.each([
    { name: 'the name', patch: { metadata: { name: 'other' } } },
    { name: 'the kind', patch: { kind: 'Project' } },
  ])('refuses to change $name', async ({ patch }) => {
    await create();
    await expect(fixture.api.patch(REF, patch, { type: 'merge' }, CONTEXT)).rejects.toEqual(failing('BadRequest'));
  });

  it('refuses a stale version', async () => {
    await create();
    const patch = { metadata: { resourceVersion: '99' }, spec: { paused: true } };
    await expect(fixture.api.patch(REF, patch, { type: 'merge' }, CONTEXT)).rejects.toEqual(failing('Conflict'));
  });

  it('loses no update when many patches race', async () => {
    await fixture.api.create(CONFIG_MAPS, aConfigMap('m', {}), {}, CONTEXT);
    const names = Array.from({ length: 10 }, (_, index) => `key-${index}`);
    await Promise.all(
      names.map((name) => fixture.api.patch(MAP, { data: { [name]: 'x' } }, { type: 'merge' }, CONTEXT)),
    );
    const { data } = await fixture.api.get(MAP, CONTEXT);
    expect(Object.keys(data as object).sort()).toEqual(names);
  });

  it('writes the status alone through its subresource', async () => {
    await create();
    const patch = { spec: { paused: true }, status: { version: 'v1' } };
    const { object } = await fixture.api.patch(REF, patch, { type: 'merge', subresource: 'status' }, CONTEXT);
    expect(object).toMatchObject({ spec: { paused: false }, status: { version: 'v1' } });
  });

  it('knows no status of kinds without one', async () => {
    await fixture.api.create(CONFIG_MAPS, aConfigMap('m', {}), {}, CONTEXT);
    const options = { type: 'merge', subresource: 'status' } as const;
    await expect(fixture.api.patch(MAP, { status: {} }, options, CONTEXT)).rejects.toEqual(failing('NotFound'));
  });
});

describe('delete', () => {
  it('removes at once without finalizers', async () => {
    const object = await create();
    const removed = await fixture.api.remove(REF, {}, CONTEXT);
    expect(removed.metadata.uid).toBe(object.metadata.uid);
    await expect(fixture.api.remove(REF, {}, CONTEXT)).rejects.toEqual(failing('NotFound'));
  });

  it('waits for finalizers', async () => {
    await create({ ...aCluster(), metadata: { name: 'demo', namespace: 'team-a', finalizers: ['a.b/c'] } });
    const removed = await fixture.api.remove(REF, {}, CONTEXT);
    expect(removed.metadata.deletionTimestamp).toBe('2026-01-01T00:00:00Z');
    expect(await fixture.api.get(REF, CONTEXT)).toEqual(removed);
  });

  it.each([{ uid: 'other' }, { resourceVersion: '99' }])('refuses when %j does not hold', async (preconditions) => {
    await create();
    await expect(fixture.api.remove(REF, { preconditions }, CONTEXT)).rejects.toEqual(
      failing('Conflict', 'Precondition failed'),
    );
  });

  it('removes nothing in a dry run', async () => {
    const object = await create();
    expect(await fixture.api.remove(REF, { dryRun: true }, CONTEXT)).toEqual(object);
    expect(await fixture.api.get(REF, CONTEXT)).toEqual(object);
  });

  it('removes a collection by selector', async () => {
    for (const name of ['a', 'b', 'c']) {
      const object = aConfigMap(name, {});
      object.metadata.labels = { keep: String(name === 'c') };
      await fixture.api.create(CONFIG_MAPS, object, {}, CONTEXT);
    }
    const selection = { namespace: 'team-a', labelSelector: 'keep=false' };
    const removed = await fixture.api.removeCollection(CONFIG_MAPS, selection, {}, CONTEXT);
    expect(removed.items.map((item) => item.metadata.name)).toEqual(['a', 'b']);
    const left = await fixture.api.list(CONFIG_MAPS, {}, CONTEXT);
    expect(left.items.map((item) => item.metadata.name)).toEqual(['c']);
  });
});

describe('reading', () => {
  it('lists with kind, version and pages', async () => {
    for (const name of ['a', 'b', 'c']) await create(aCluster(name));
    const page = await fixture.api.list(CLUSTERS, { limit: 2 }, CONTEXT);
    expect(page).toMatchObject({ apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'ClusterList' });
    const rest = await fixture.api.list(CLUSTERS, { limit: 2, continue: page.metadata.continue ?? '' }, CONTEXT);
    expect([...page.items, ...rest.items].map((item) => item.metadata.name)).toEqual(['a', 'b', 'c']);
  });

  it('serves an object in every version of its kind', async () => {
    const definition = { ...CONFIG_MAP.definition, version: 'v2' };
    const { api } = localApi({ definition });
    await api.create(CONFIG_MAPS, aConfigMap('m', {}), {}, CONTEXT);
    expect((await api.get({ ...MAP, version: 'v2' }, CONTEXT)).apiVersion).toBe('v2');
    expect((await api.get(MAP, CONTEXT)).apiVersion).toBe('v1');
  });

  it('reads subresources', async () => {
    await create();
    expect(await fixture.api.readSubresource(REF, 'kubeconfig', CONTEXT)).toContain('kind: Config');
    await expect(fixture.api.readSubresource(REF, 'nothing', CONTEXT)).rejects.toEqual(failing('NotFound'));
    const absent = refTo(CLUSTERS, 'absent');
    await expect(fixture.api.readSubresource(absent, 'kubeconfig', CONTEXT)).rejects.toEqual(
      failing('NotFound', 'absent'),
    );
  });

  it('does not know a kind that is not served (any more)', async () => {
    fixture.kinds.remove(CONFIG_MAPS);
    await expect(fixture.api.list(CONFIG_MAPS, {}, CONTEXT)).rejects.toEqual(failing('NotFound', 'could not find'));
    fixture.kinds.add(CONFIG_MAP);
    await expect(fixture.api.list(CONFIG_MAPS, {}, CONTEXT)).resolves.toMatchObject({ items: [] });
  });
});
