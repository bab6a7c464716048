import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER, type KubeObject, type KubeObjectInput } from '@crate/api';
import { CLUSTERS, CONTEXT, localApi, type LocalFixture, refTo, specOf } from '../fixtures/local-api.js';
import type { AdmissionHook } from '../kinds/served-kind.js';

const DEMO = refTo(CLUSTERS, 'demo');
const NOTE = 'example.com/consumed';

/** Fills in a version, and takes an annotation away once it was seen. */
const fillIn: AdmissionHook = ({ object }) => {
  const kubernetes = { version: 'v1.31.4', ...(specOf(object).kubernetes as object | undefined) };
  const { annotations: { [NOTE]: _seen, ...annotations } = {}, ...rest } = object.metadata;
  const metadata = { ...rest, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) };
  return Promise.resolve({ object: { ...object, metadata, spec: { ...specOf(object), kubernetes } } });
};

/** A document that leaves the version out. */
function short(spec: Record<string, unknown> = {}): KubeObjectInput {
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'demo', namespace: 'team-a' },
    spec: { accountRef: { name: 'sandbox' }, region: 'us-east-1', ...spec },
  };
}

let fixture: LocalFixture;
beforeEach(() => {
  fixture = localApi({ definition: CLUSTER, prepare: [fillIn] });
});

async function apply(fieldManager: string, spec: Record<string, unknown> = {}): Promise<KubeObject> {
  const { object } = await fixture.api.patch(DEMO, short(spec), { type: 'apply', fieldManager }, CONTEXT);
  return object;
}

function owned(object: KubeObject): string {
  return JSON.stringify(object.metadata.managedFields);
}

describe('what a kind fills in', () => {
  it('belongs to nobody, neither do defaults, whether created or applied', async () => {
    const { object: created } = await fixture.api.create(CLUSTERS, short(), { fieldManager: 'ada' }, CONTEXT);
    expect(created).toMatchObject({ spec: { kubernetes: { version: 'v1.31.4' }, paused: false } });
    expect(owned(created)).toContain('f:region');
    expect(owned(created)).not.toMatch(/f:kubernetes|f:paused/);
    await fixture.api.remove(DEMO, {}, CONTEXT);
    expect(owned(await apply('ada'))).not.toMatch(/f:kubernetes|f:paused/);
  });

  it.each([
    { how: 'applied', write: () => apply('ada') },
    { how: 'put', write: async () => (await fixture.api.update(DEMO, short(), {}, CONTEXT)).object },
    { how: 'put whole', write: async () => (await fixture.api.update(DEMO, await live(), {}, CONTEXT)).object },
  ])('is stored once: the same document $how again changes nothing', async ({ write }) => {
    await apply('ada');
    const before = await live();
    fixture.clock.advance(60_000);
    expect(await write()).toEqual(before);
  });

  it('can be stated by anybody without a conflict, and comes back when nobody states it', async () => {
    await apply('ada');
    const stated = await apply('bob', { kubernetes: { version: 'v1.31.8' } });
    expect(owned(stated)).toContain('f:version');
    expect(await apply('bob')).toMatchObject({ spec: { kubernetes: { version: 'v1.31.4' } } });
  });

  it('can be changed by an update, which then owns it', async () => {
    await apply('ada');
    const { object } = await fixture.api.patch(
      DEMO,
      { spec: { kubernetes: { version: 'v1.31.8' } } },
      { type: 'merge', fieldManager: 'bob' },
      CONTEXT,
    );
    expect(object).toMatchObject({ spec: { kubernetes: { version: 'v1.31.8' } } });
    expect(owned(object)).toMatch(/"bob".*f:version/);
  });

  it.each([
    { type: 'merge' as const, patch: { spec: { kubernetes: { version: 'v1.31.4' }, paused: null } } },
    { type: 'json' as const, patch: [{ op: 'add', path: '/spec/kubernetes/version', value: 'v1.31.4' }] },
    { type: 'json' as const, patch: [{ op: 'replace', path: '/spec/kubernetes', value: { version: 'v1.31.4' } }] },
  ])('belongs to who names it in a patch ($type), though it is the same', async ({ type, patch }) => {
    await apply('ada');
    const write = async (): Promise<KubeObject> =>
      (await fixture.api.patch(DEMO, patch, { type, fieldManager: 'bob' }, CONTEXT)).object;
    const object = await write();
    expect(object.metadata.managedFields?.find(({ manager }) => manager === 'bob')?.fieldsV1).toEqual({
      'f:spec': { 'f:kubernetes': { 'f:version': {} } },
    });
    expect(object.metadata.generation).toBe(1);
    fixture.clock.advance(60_000);
    expect(await write()).toEqual(object);
  });

  it('stays who it belongs to when a patch names it, or names a list it is in', async () => {
    await apply('ada', { nodePools: [{ name: 'workers' }] });
    const { nodePools, region } = specOf(await live());
    const patch = { spec: { nodePools, region } };
    const { object } = await fixture.api.patch(DEMO, patch, { type: 'merge', fieldManager: 'bob' }, CONTEXT);
    expect(owned(object)).not.toContain('bob');
  });

  it('leaves no owner of what it took away', async () => {
    await apply('ada');
    const { object } = await fixture.api.patch(
      DEMO,
      { metadata: { annotations: { [NOTE]: 'x' } } },
      { type: 'merge', fieldManager: 'bob' },
      CONTEXT,
    );
    expect(object.metadata.annotations).toBeUndefined();
    expect(owned(object)).not.toContain('bob');
  });
});

describe('a write that takes another one back', () => {
  const RETURN = 'example.com/return';
  const isReturn: AdmissionHook = ({ object }) =>
    Promise.resolve(object.metadata.annotations?.[RETURN] === undefined ? undefined : { isReturn: true });
  const merge = async (fieldManager: string, patch: object): Promise<KubeObject> =>
    (await fixture.api.patch(DEMO, patch, { type: 'merge', fieldManager }, CONTEXT)).object;
  const OTHER = { kubernetes: { version: 'v1.31.8' }, nodePools: null, region: 'eu-west-1' };

  /** Who owns what, whenever they wrote. */
  const owners = ({ metadata }: KubeObject): Record<string, unknown> =>
    Object.fromEntries((metadata.managedFields ?? []).map(({ manager, fieldsV1 }) => [manager, fieldsV1]));

  /** By another manager than before, as a service does. */
  async function putBack({ spec, metadata: { managedFields } }: KubeObject): Promise<KubeObject> {
    const now = await live();
    const annotations = { ...now.metadata.annotations, [RETURN]: 'yes' };
    const object = { ...now, metadata: { ...now.metadata, annotations, managedFields }, spec } as KubeObject;
    return (await fixture.api.update(DEMO, object, { fieldManager: 'robot' }, CONTEXT)).object;
  }

  beforeEach(() => {
    fixture = localApi({ definition: CLUSTER, prepare: [fillIn, isReturn] });
  });

  it('leaves what nobody owned to nobody, and gives everybody else theirs', async () => {
    const before = await apply('ada', { nodePools: [{ name: 'workers', replicas: 3 }] });
    await merge('robot', { spec: OTHER });
    const after = await putBack(before);
    expect(after.spec).toEqual(before.spec);
    expect(owners(after)).toEqual(owners(before));
  });

  it('leaves to whoever wrote meanwhile what it does not change', async () => {
    const before = await apply('ada');
    await merge('robot', { spec: OTHER });
    await merge('bob', { metadata: { labels: { tier: 'gold' } } });
    const { bob } = owners(await live());
    expect(owners(await putBack(before))).toEqual({ ...owners(before), bob });
  });
});

async function live(): Promise<KubeObject> {
  return fixture.api.get(DEMO, CONTEXT);
}
