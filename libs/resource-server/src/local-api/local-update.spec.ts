import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject, KubeObjectInput } from '@crate/api';
import { at } from '../fixtures/at.js';
import { failing } from '../fixtures/failing.js';
import { aCluster, CLUSTERS, CONTEXT, localApi, type LocalFixture, refTo, specOf } from '../fixtures/local-api.js';

const REF = refTo(CLUSTERS, 'demo');

let fixture: LocalFixture;
beforeEach(() => {
  fixture = localApi();
});

async function create(object: KubeObjectInput = aCluster(), options = {}): Promise<KubeObject> {
  return (await fixture.api.create(CLUSTERS, object, options, CONTEXT)).object;
}

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

  it('refuses metadata that nobody knows, also when nothing else changes', async () => {
    const object = await create();
    const document = { ...object, metadata: { ...object.metadata, annotation: { a: 'b' } } };
    await expect(fixture.api.update(REF, document, {}, CONTEXT)).rejects.toEqual(
      failing('BadRequest', 'unknown field "metadata.annotation" \\(did you mean "annotations"\\?\\)'),
    );
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

  it.each([
    { name: 'null', metadata: { name: null, namespace: null } },
    { name: 'empty', metadata: { name: '', namespace: '' } },
  ])('takes name and namespace from the path where the document has them $name', async ({ metadata }) => {
    await create();
    const document = { ...aCluster('demo', { paused: true }), metadata } as unknown as KubeObjectInput;
    const { object } = await fixture.api.update(REF, document, {}, CONTEXT);
    expect(object).toMatchObject({ metadata: { name: 'demo', namespace: 'team-a' }, spec: { paused: true } });
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
