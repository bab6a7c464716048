import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER, type KubeObject, type KubeObjectInput } from '@crate/api';
import type { PatchOptions, ResourceRef, WriteResult } from '@crate/resource-client';
import {
  aCluster,
  aConfigMap,
  CLUSTERS,
  CONFIG_MAPS,
  CONTEXT,
  DEPLOYMENTS,
  localApi,
  type LocalFixture,
  refTo,
} from '../fixtures/local-api.js';
import { at } from '../fixtures/at.js';
import { failing } from '../fixtures/failing.js';
import type { AdmissionHook } from '../kinds/served-kind.js';
import { findByPath } from '../table/json-path.js';

const DEMO = refTo(CLUSTERS, 'demo');
const MAP = refTo(CONFIG_MAPS, 'm');
const WEB = refTo(DEPLOYMENTS, 'web');

let fixture: LocalFixture;
beforeEach(() => {
  fixture = localApi();
});

function apply(
  ref: ResourceRef,
  object: KubeObjectInput,
  fieldManager: string,
  options: Partial<PatchOptions> = {},
): Promise<WriteResult> {
  return fixture.api.patch(ref, object, { type: 'apply', fieldManager, ...options }, CONTEXT);
}

function managers(object: KubeObject): string[] {
  return (object.metadata.managedFields ?? []).map((entry) => `${entry.operation} ${entry.manager}`);
}

function aDeployment(container: Record<string, unknown>, spec: Record<string, unknown> = {}): KubeObjectInput {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'team-a' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', ...container }] } },
      ...spec,
    },
  };
}

describe('server-side apply', () => {
  it.each([
    { name: 'null', metadata: { name: null, namespace: null } },
    { name: 'empty', metadata: { name: '', namespace: '' } },
  ])('takes name and namespace from the path where the document has them $name', async ({ metadata }) => {
    const document = { ...aCluster(), metadata } as unknown as KubeObjectInput;
    for (const created of [true, false]) {
      const result = await apply(DEMO, document, 'gitops');
      expect(result).toMatchObject({ created, object: { metadata: { name: 'demo', namespace: 'team-a' } } });
    }
  });

  it('creates, with defaults that nobody owns', async () => {
    const { object, created } = await apply(DEMO, aCluster(), 'gitops');
    expect(created).toBe(true);
    expect(at(object, '.spec.controlPlane.replicas')).toBe(3);
    expect(object.metadata.managedFields).toEqual([
      {
        manager: 'gitops',
        operation: 'Apply',
        apiVersion: 'lifecycle.crate.dev/v1alpha1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:spec': {
            'f:accountRef': { 'f:name': {} },
            'f:region': {},
            'f:kubernetes': { 'f:engine': {}, 'f:version': {} },
            'f:nodePools': {
              'k:{"name":"workers"}': { '.': {}, 'f:name': {}, 'f:replicas': {}, 'f:machineType': {} },
            },
          },
        },
      },
    ]);
  });

  it('writes nothing when the same is applied again, also later', async () => {
    const first = await apply(DEMO, aCluster(), 'gitops');
    fixture.clock.advance(60_000);
    const second = await apply(DEMO, aCluster(), 'gitops');
    expect(second).toEqual({ object: first.object, created: false, warnings: [] });
    expect(await fixture.store.currentRevision()).toBe('1');
  });

  it('refuses metadata that nobody knows', async () => {
    const document = aConfigMap('m', { a: '1' });
    document.metadata = { ...document.metadata, labelz: { a: 'b' } } as never;
    await expect(apply(MAP, document, 'gitops')).rejects.toEqual(
      failing('BadRequest', 'unknown field "metadata.labelz"'),
    );
    await apply(MAP, aConfigMap('m', { a: '1' }), 'gitops');
    await expect(apply(MAP, document, 'gitops')).rejects.toEqual(
      failing('BadRequest', 'unknown field "metadata.labelz"'),
    );
  });

  it('writes nothing for blank metadata, as clients like to send it', async () => {
    await apply(MAP, aConfigMap('m', { a: '1' }), 'gitops');
    const blank = { ...aConfigMap('m', { a: '1' }) };
    blank.metadata = { ...blank.metadata, labels: {}, annotations: {}, creationTimestamp: null } as never;
    await apply(MAP, blank, 'gitops');
    await apply(MAP, blank, 'gitops');
    expect(await fixture.store.currentRevision()).toBe('1');
  });

  it('lets nobody own that metadata is blank', async () => {
    const blank = aConfigMap('m', { a: '1' });
    blank.metadata = { ...blank.metadata, labels: {}, annotations: {} };
    await apply(MAP, blank, 'gitops');
    const { object } = await apply(MAP, { ...blank, data: { b: '2' } }, 'other');
    expect(object).toMatchObject({ data: { a: '1', b: '2' } });
    const labelled = { ...blank, metadata: { ...blank.metadata, labels: { mine: 'yes' } } };
    expect((await apply(MAP, labelled, 'third')).object.metadata.labels).toEqual({ mine: 'yes' });
  });

  it.each([
    { name: 'admission keeps to itself', metadata: { annotations: { secret: 'a' } }, spec: {} },
    { name: 'the schema does not know', metadata: {}, spec: { nothing: 'a' } },
  ])('lets nobody own what $name, so that others may state the same', async ({ metadata, spec }) => {
    const keep: AdmissionHook = ({ object }) => {
      const { annotations: _kept, ...rest } = object.metadata;
      return Promise.resolve({ object: { ...object, metadata: rest } });
    };
    const { api } = localApi({ definition: CLUSTER, admit: [keep] });
    const cluster = aCluster('demo', spec);
    const document = { ...cluster, metadata: { ...cluster.metadata, ...metadata } };
    for (const fieldManager of ['one', 'two', 'one']) {
      const options = { type: 'apply', fieldManager, fieldValidation: 'Ignore' } as const;
      const { object } = await api.patch(DEMO, document, options, CONTEXT);
      expect(JSON.stringify(object.metadata.managedFields)).not.toMatch(/secret|nothing/);
    }
  });

  it('takes what the object does not have from an owner that is stored all the same, and leaves the status to its own', async () => {
    await apply(DEMO, aCluster(), 'one');
    await apply(DEMO, { ...aCluster(), status: { version: 'v1' } }, 'observer', { subresource: 'status' });
    const { object: live } = await fixture.api.patch(DEMO, {}, { type: 'merge' }, CONTEXT);
    const stale = { 'f:metadata': { 'f:annotations': { 'f:secret': {} } } };
    const managedFields = (live.metadata.managedFields ?? []).map((entry) =>
      entry.manager === 'one' ? { ...entry, fieldsV1: { ...entry.fieldsV1, ...stale } } : entry,
    );
    await fixture.store.update({ ...live, metadata: { ...live.metadata, managedFields } });
    const document = aCluster();
    const stated = { ...document, metadata: { ...document.metadata, annotations: { secret: 'a' } } };
    const { object } = await apply(DEMO, stated, 'two');
    expect(managers(object)).toEqual(expect.arrayContaining(['Apply one', 'Apply two', 'Apply observer']));
    const owners = object.metadata.managedFields?.filter(({ fieldsV1 }) =>
      JSON.stringify(fieldsV1).includes('f:secret'),
    );
    expect(owners?.map(({ manager }) => manager)).toEqual(['two']);
  });

  it('moves a default back in place when the field is no longer stated', async () => {
    await apply(DEMO, aCluster('demo', { paused: true, controlPlane: { replicas: 5 } }), 'gitops');
    const { object } = await apply(DEMO, aCluster(), 'gitops');
    expect(object.spec).toMatchObject({ paused: false, controlPlane: { replicas: 3 } });
  });

  it('lets a scaler own one field of one pool', async () => {
    await apply(DEMO, aCluster('demo', { nodePools: [{ name: 'workers' }, { name: 'gpu' }] }), 'gitops');
    const scale = { ...aCluster(), spec: { nodePools: [{ name: 'gpu', replicas: 7 }] } };
    const { object } = await apply(DEMO, scale, 'scaler');
    expect(findByPath(object, '.spec.nodePools[*].replicas')).toEqual([1, 7]);
    const again = await apply(DEMO, aCluster('demo', { nodePools: [{ name: 'workers' }, { name: 'gpu' }] }), 'gitops');
    expect(again.object.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
  });

  it('conflicts with an ordinary writer until forced', async () => {
    await fixture.api.create(DEMO, aCluster(), { fieldManager: 'console' }, CONTEXT);
    const wanted = aCluster('demo', { region: 'eu-west-1' });
    await expect(apply(DEMO, wanted, 'gitops')).rejects.toMatchObject({
      code: 'Conflict',
      message:
        'Apply failed with 1 conflict: conflict with "console" using lifecycle.crate.dev/v1alpha1 ' +
        'at 2026-01-01T00:00:00Z: .spec.region',
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.region' }] },
    });
    const { object } = await apply(DEMO, wanted, 'gitops', { force: true });
    expect(at(object, '.spec.region')).toBe('eu-west-1');
    expect(managers(object)).toEqual(['Apply gitops', 'Update console']);
  });

  it('validates what comes out, not what is stated', async () => {
    await apply(DEMO, aCluster(), 'gitops');
    const part = { ...aCluster(), spec: { controlPlane: { replicas: 4 } } };
    await expect(apply(DEMO, part, 'other')).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: { causes: [{ field: 'spec.controlPlane.replicas' }] },
    });
  });

  it('removes a label and a finalizer that are no longer stated', async () => {
    const object = aConfigMap('m', {});
    const marked = { ...object, metadata: { ...object.metadata, labels: { a: '1', b: '2' }, finalizers: ['x.y/z'] } };
    await apply(MAP, marked, 'gitops');
    const plain = { ...object, metadata: { ...object.metadata, labels: { a: '1' } } };
    const { object: after } = await apply(MAP, plain, 'gitops');
    expect(after.metadata.labels).toEqual({ a: '1' });
    expect(after.metadata).not.toHaveProperty('finalizers');
  });

  it('keeps finalizers and labels that other writers added', async () => {
    await apply(MAP, aConfigMap('m', { a: '1' }), 'gitops');
    const patch = { metadata: { finalizers: ['x.y/z'], labels: { by: 'other' } } };
    await fixture.api.patch(MAP, patch, { type: 'merge', fieldManager: 'other' }, CONTEXT);
    const { object } = await apply(MAP, aConfigMap('m', { b: '2' }), 'gitops');
    expect(object).toMatchObject({ data: { b: '2' }, metadata: { finalizers: ['x.y/z'], labels: { by: 'other' } } });
    expect(object.data).not.toHaveProperty('a');
  });

  it('applies the status through its subresource only', async () => {
    await apply(DEMO, { ...aCluster(), status: { version: 'v0' } }, 'gitops');
    const status = { ...aCluster(), spec: {}, status: { version: 'v1' } };
    const { object } = await apply(DEMO, status, 'controller', { subresource: 'status' });
    expect(object).toMatchObject({ status: { version: 'v1' }, spec: { region: 'us-east-1' } });
    expect(object.metadata.managedFields?.[0]).toMatchObject({ manager: 'controller', subresource: 'status' });
    const again = await apply(DEMO, aCluster(), 'gitops');
    expect(again.object.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
  });

  it('does not create through the status', async () => {
    const status = { ...aCluster(), status: {} };
    await expect(apply(DEMO, status, 'x', { subresource: 'status' })).rejects.toMatchObject({ code: 'NotFound' });
  });

  it.each([
    { name: 'no field manager', options: { fieldManager: '' }, code: 'InvalidSpec' },
    { name: 'managed fields', metadata: { managedFields: [{ manager: 'x' }] }, code: 'BadRequest' },
    { name: 'a uid of an object that is not there', metadata: { uid: 'u' }, code: 'Conflict' },
    { name: 'a version of an object that is not there', metadata: { resourceVersion: '1' }, code: 'Conflict' },
    { name: 'a list item without its key', spec: { nodePools: [{ replicas: 1 }] }, code: 'BadRequest' },
    { name: 'two items alike', spec: { nodePools: [{ name: 'a' }, { name: 'a' }] }, code: 'BadRequest' },
    { name: 'an unknown field', spec: { colour: 'red' }, code: 'BadRequest' },
  ])('refuses $name', async ({ options, metadata, spec, code }) => {
    const object = aCluster('demo', spec);
    object.metadata = { ...object.metadata, ...metadata } as never;
    await expect(apply(DEMO, object, 'gitops', options)).rejects.toMatchObject({ code });
  });

  it('refuses a stale version', async () => {
    await apply(MAP, aConfigMap('m', { a: '1' }), 'gitops');
    const stale = aConfigMap('m', { a: '2' });
    stale.metadata.resourceVersion = '99';
    await expect(apply(MAP, stale, 'gitops')).rejects.toMatchObject({ code: 'Conflict' });
  });

  it('stores nothing in a dry run', async () => {
    const { object } = await apply(DEMO, aCluster(), 'gitops', { dryRun: true });
    expect(managers(object)).toEqual(['Apply gitops']);
    expect(await fixture.store.currentRevision()).toBe('0');
  });

  it('lets many appliers create the same object at once', async () => {
    const results = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => apply(MAP, aConfigMap('m', { [name]: name }), name)),
    );
    expect(results.filter((result) => result.created)).toHaveLength(1);
    const { data } = await fixture.api.get(MAP, CONTEXT);
    expect(data).toEqual({ a: 'a', b: 'b', c: 'c', d: 'd' });
  });
});

describe('server-side apply to kinds of Kubernetes', () => {
  it('merges containers by name and their ports and environment by key', async () => {
    await apply(
      WEB,
      aDeployment({ image: 'web:1', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: '1' }] }),
      'app',
    );
    const { object } = await apply(WEB, aDeployment({ env: [{ name: 'B', value: '2' }] }, {}), 'injector');
    expect(at(object, '.spec.template.spec.containers')).toEqual([
      {
        name: 'web',
        image: 'web:1',
        ports: [{ containerPort: 80 }],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
    ]);
  });

  it('replaces the selector whole', async () => {
    await apply(WEB, aDeployment({ image: 'web:1' }), 'app');
    const other = aDeployment({}, { selector: { matchLabels: { tier: 'x' } } });
    await expect(apply(WEB, other, 'other')).rejects.toMatchObject({
      details: { causes: [{ field: '.spec.selector' }] },
    });
  });

  it('replaces arguments whole', async () => {
    await apply(WEB, aDeployment({ args: ['a', 'b'] }), 'app');
    const { object } = await apply(WEB, aDeployment({ args: ['c'] }), 'app');
    expect(at(object, '.spec.template.spec.containers[0].args')).toEqual(['c']);
  });

  it('leaves replicas to the autoscaler once the applier stops stating them', async () => {
    await apply(WEB, aDeployment({ image: 'web:1' }, { replicas: 2 }), 'app');
    await fixture.api.patch(WEB, { spec: { replicas: 9 } }, { type: 'merge', fieldManager: 'autoscaler' }, CONTEXT);
    const { object } = await apply(WEB, aDeployment({ image: 'web:2' }), 'app');
    expect(object.spec).toMatchObject({ replicas: 9, template: { spec: { containers: [{ image: 'web:2' }] } } });
  });
});

describe('managed fields of ordinary writes', () => {
  it('name the stated manager, or else the calling service, or the person', async () => {
    const service = { ...CONTEXT, caller: { ...CONTEXT.caller, service: 'lifecycle' } };
    const create = (name: string, options: object, context = CONTEXT) =>
      fixture.api.create(CONFIG_MAPS, aConfigMap(name, { a: '1' }), options, context);
    expect(managers((await create('a', { fieldManager: 'kubectl-create' })).object)).toEqual(['Update kubectl-create']);
    expect(managers((await create('b', {}, service)).object)).toEqual(['Update lifecycle']);
    expect(managers((await create('c', {})).object)).toEqual(['Update ada']);
  });

  it('are kept when a document does not carry them', async () => {
    await apply(MAP, aConfigMap('m', { a: '1' }), 'gitops');
    const { object } = await fixture.api.update(
      MAP,
      aConfigMap('m', { a: '1', b: '2' }),
      { fieldManager: 'u' },
      CONTEXT,
    );
    expect(managers(object)).toEqual(['Apply gitops', 'Update u']);
  });

  it('may be edited, so that a client can hand over its fields, and cleared', async () => {
    await fixture.api.create(CONFIG_MAPS, aConfigMap('m', { a: '1' }), { fieldManager: 'old' }, CONTEXT);
    const renamed = [{ op: 'replace', path: '/metadata/managedFields/0/manager', value: 'new' }];
    const { object } = await fixture.api.patch(MAP, renamed, { type: 'json', fieldManager: 'x' }, CONTEXT);
    expect(managers(object)).toEqual(['Update new']);
    const cleared = { metadata: { managedFields: [{}] } };
    const after = await fixture.api.patch(MAP, cleared, { type: 'merge', fieldManager: 'x' }, CONTEXT);
    expect(after.object.metadata).not.toHaveProperty('managedFields');
  });

  it('keep spec and status apart', async () => {
    const { object } = await fixture.api.create(CLUSTERS, aCluster(), { fieldManager: 'u' }, CONTEXT);
    const options = { subresource: 'status', fieldManager: 'u' } as const;
    const written = await fixture.api.update(DEMO, { ...object, status: { version: 'v1' } }, options, CONTEXT);
    expect(written.object.metadata.managedFields?.map((entry) => entry.subresource)).toEqual(
      expect.arrayContaining([undefined, 'status']),
    );
  });
});
