import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject, KubeObjectInput } from '@crate/api';
import { at } from '../fixtures/at.js';
import { failing } from '../fixtures/failing.js';
import {
  aCluster,
  aConfigMap,
  CLUSTERS,
  CONFIG_MAPS,
  CONTEXT,
  localApi,
  type LocalFixture,
  refTo,
} from '../fixtures/local-api.js';

const REF = refTo(CLUSTERS, 'demo');
const MAP = refTo(CONFIG_MAPS, 'm');

let fixture: LocalFixture;
beforeEach(() => {
  fixture = localApi();
});

async function create(object: KubeObjectInput = aCluster(), options = {}): Promise<KubeObject> {
  return (await fixture.api.create(CLUSTERS, object, options, CONTEXT)).object;
}

describe('patch', () => {
  it('merges (RFC 7386)', async () => {
    await create();
    const patch = { metadata: { labels: { a: 'b' } }, spec: { paused: true, nodePools: null } };
    const { object } = await fixture.api.patch(REF, patch, { type: 'merge' }, CONTEXT);
    expect(object).toMatchObject({ metadata: { labels: { a: 'b' } }, spec: { paused: true, nodePools: [] } });
  });

  it('refuses metadata that nobody knows', async () => {
    await create();
    const patch = { metadata: { labelz: { a: 'b' } } };
    await expect(fixture.api.patch(REF, patch, { type: 'merge' }, CONTEXT)).rejects.toEqual(
      failing('BadRequest', 'unknown field "metadata.labelz"'),
    );
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
