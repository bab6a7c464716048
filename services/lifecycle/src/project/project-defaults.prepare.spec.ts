import { PROJECT, type KubeObject } from '@crate/api';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { standard } from '../testing/a-class.js';
import { aProject } from '../testing/a-project.js';
import { ClassBench } from '../testing/class-bench.js';

const DEFAULTS = { accountRef: { name: 'sandbox' }, region: 'us-east-1', classRef: { name: 'standard' } };
const SHORT = { parameters: { size: 'small' } };

let bench: ClassBench;
beforeEach(async () => {
  bench = new ClassBench();
  await bench.writeClass('standard', standard());
  const { spec } = aProject('team-a', { defaults: DEFAULTS }) as unknown as KubeObject;
  await bench.for(PROJECT).create({ metadata: { name: 'team-a' }, spec });
});

async function classOf(write: Promise<unknown>): Promise<unknown> {
  await write;
  return (await bench.cluster('demo')).spec.classRef;
}

describe('the defaults of a Project and the class of a new cluster', () => {
  it('name the class, and fill in what that does not give', async () => {
    const { spec } = await bench.createCluster('demo', SHORT);
    expect(spec).toMatchObject({ ...DEFAULTS, controlPlane: { replicas: 1 } });
  });

  it.each([
    { field: 'region', gives: 'eu-central-1' },
    { field: 'accountRef', gives: { name: 'paid' } },
  ])('leave $field to the class, also where that locks it', async ({ field, gives }) => {
    const { template } = standard() as { template: object };
    await bench.writeClass('standard', standard({ ...template, [field]: gives }, { locked: [field] }));
    expect((await bench.createCluster('demo', SHORT)).spec).toMatchObject({ ...DEFAULTS, [field]: gives });
    await bench.putCluster('demo', { ...SHORT, paused: true });
  });

  it.each(['region', 'accountRef'])('fill in %s where the class locks it and gives none', async (field) => {
    await bench.writeClass('standard', standard({}, { locked: [field] }));
    expect((await bench.createCluster('demo', SHORT)).spec).toMatchObject(DEFAULTS);
    await bench.putCluster('demo', { ...SHORT, paused: true });
  });
});

describe('the class that a cluster has from the defaults', () => {
  it.each([
    { how: 'PUT', write: () => bench.putCluster('demo', SHORT) },
    { how: 'server-side apply', write: () => bench.applyCluster('demo', SHORT) },
  ])('stays, revision and all, when the same short document is written again by $how', async ({ write }) => {
    await bench.createCluster('demo', SHORT);
    await bench.writeClass('standard', standard({ kubernetes: { version: 'v1.31.8' } }));
    expect(await classOf(write())).toEqual({ name: 'standard', revision: 1 });
  });

  it('goes when a document says that there is none', async () => {
    await bench.createCluster('demo', SHORT);
    const { classRef: _class, parameters: _parameters, ...whole } = (await bench.cluster('demo')).spec;
    const none = { ...whole, classRef: null };
    expect(await classOf(bench.putCluster('demo', none))).toBeUndefined();
    expect(await classOf(bench.putCluster('demo', whole))).toBeUndefined();
  });

  it('goes when somebody who stated it leaves it out', async () => {
    const stated = { ...SHORT, ...DEFAULTS };
    await bench.createCluster('demo', stated);
    const { classRef: _class, parameters: _parameters, ...whole } = (await bench.cluster('demo')).spec;
    expect(await classOf(bench.putCluster('demo', whole))).toBeUndefined();
  });
});

describe('the protection from deletion that a class gives', () => {
  beforeEach(() => bench.writeClass('standard', standard({}, { deletionProtection: true })));

  it.each([
    { how: 'PUT', write: () => bench.putCluster('demo', SHORT) },
    { how: 'server-side apply', write: () => bench.applyCluster('demo', SHORT) },
  ])('comes back when whoever took it off leaves it out again, by $how', async ({ write }) => {
    await bench.applyCluster('demo', { ...SHORT, deletionProtection: false });
    expect((await bench.cluster('demo')).spec.deletionProtection).toBe(false);
    expect((await write()).spec.deletionProtection).toBe(true);
  });

  it('stays where a document of a cluster without a class leaves it out', async () => {
    await bench.createCluster('demo', SHORT);
    const { classRef: _class, parameters: _parameters, ...own } = (await bench.cluster('demo')).spec;
    await bench.putCluster('demo', { ...own, classRef: null });
    const { deletionProtection: _protection, ...silent } = own;
    expect((await bench.putCluster('demo', silent)).spec).toMatchObject({ deletionProtection: true });
  });
});

describe('a new cluster in a Project with a default class', () => {
  const WHOLE = { kubernetes: { version: 'v1.30.8' }, nodePools: [] };

  it.each([
    { how: 'POST', write: () => bench.createCluster('demo', { ...WHOLE, classRef: null }) },
    { how: 'server-side apply', write: () => bench.applyCluster('demo', { ...WHOLE, classRef: null }) },
  ])('has none where its document says so, by $how', async ({ write }) => {
    expect(await classOf(write())).toBeUndefined();
    expect((await bench.cluster('demo')).spec).toMatchObject({ region: 'us-east-1', kubernetes: WHOLE.kubernetes });
  });

  it('is told which class locks what it states, though it names none', async () => {
    await bench.writeClass('standard', standard({}, { locked: ['kubernetes.version'] }));
    const write = bench.createCluster('demo', { ...SHORT, kubernetes: { version: 'v1.30.8' } });
    await expect(write).rejects.toThrow('ClusterClass "standard" locks this field');
  });
});
