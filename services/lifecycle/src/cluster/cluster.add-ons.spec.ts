import { toStatus } from '@crate/errors';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { anAddOn } from '../testing/a-cluster.js';
import { AdmissionBench, refusalOf } from '../testing/admission-bench.js';

let bench: AdmissionBench;
beforeEach(async () => {
  bench = await AdmissionBench.start();
});

describe('a new cluster', () => {
  it.each([
    {
      reason: 'an unknown add-on, naming the catalogue',
      addOns: [{ name: 'docs' }, { name: 'unknown' }],
      field: 'spec.addOns[1].name',
      text: 'Invalid value: "unknown": must be in the catalogue: baseline, broken, docs, sized, volumes',
    },
    {
      reason: 'an add-on that needs one which is not there',
      addOns: [{ name: 'broken' }],
      field: 'spec.addOns',
      text: '"nowhere" (needed by "broken") is not in the catalogue',
    },
    {
      reason: 'an add-on that is for another cloud',
      addOns: [{ name: 'volumes' }],
      field: 'spec.addOns[0].name',
      text: 'Invalid value: "volumes": is for clusters in aws; this one is in sandbox-aws',
    },
    {
      reason: 'an add-on that it does not want and another one needs',
      addOns: [{ name: 'baseline', enabled: false }, { name: 'docs' }],
      field: 'spec.addOns[0].enabled',
      text: 'add-on "docs" needs it: leave that out as well',
    },
    {
      reason: 'a version of an add-on that is not kept, naming those that are',
      addOns: [{ name: 'docs', version: '0.9.0' }],
      field: 'spec.addOns[0].version',
      text: 'Invalid value: "0.9.0": must be a version that is kept: 1.0.0',
    },
    {
      reason: 'values of an add-on that takes none',
      addOns: [{ name: 'docs' }, { name: 'baseline', values: { size: 1 } }],
      field: 'spec.addOns[1].values.size',
      text: 'the add-on has no such value; known: none',
    },
    {
      reason: 'a value that does not fit the schema of its add-on',
      addOns: [{ name: 'sized', values: { size: 0 } }],
      field: 'spec.addOns[0].values.size',
      text: 'must be at least 1',
    },
    {
      reason: 'values that fit, and that its add-on can make nothing of',
      addOns: [{ name: 'sized', values: { size: 3 } }],
      field: 'spec.addOns[0].values',
      text: 'sized 1.0.0 cannot be made of these values: manifests.0.size',
    },
  ])('is refused for $reason (422)', async ({ addOns, field, text }) => {
    expect(toStatus(await refusalOf(bench.create({ addOns })))).toMatchObject({
      ...{ code: 422, reason: 'Invalid' },
      message: expect.stringContaining('Cluster.lifecycle.crate.dev "demo" is invalid'),
      details: { causes: [{ field, message: expect.stringContaining(text) }] },
    });
    expect(await bench.exists()).toBe(false);
  });
});

describe('add-ons that a cluster has', () => {
  it('need no values while they are turned off', async () => {
    await bench.create({ addOns: [{ name: 'sized', enabled: false }] });
    expect(await bench.exists()).toBe(true);
  });

  const sized = (size: number): object => ({ name: 'sized', values: { size } });
  const SCALED = { spec: { nodePools: [{ name: 'workers', replicas: 3 }] } };

  it('are not added where they bring one along that is for another cloud', async () => {
    await bench.catalogue.ensure({ metadata: { name: 'team-db' }, spec: anAddOn('team-db', 'volumes').spec }, 'test');
    const refusal = await refusalOf(bench.create({ addOns: [{ name: 'team-db' }] }));
    expect(refusal.details.causes).toMatchObject([
      {
        field: 'spec.addOns[0].name',
        message: expect.stringContaining(
          'needs "volumes", which is for clusters in aws; this one is in sandbox-aws',
        ) as unknown,
      },
    ]);
  });

  it('are not judged where one is gone from the catalogue by now', async () => {
    await bench.create({ addOns: [sized(2), { name: 'docs' }] });
    await bench.catalogue.remove('sized');
    await bench.merge(SCALED);
    const refusal = await refusalOf(bench.merge({ spec: { addOns: [sized(2), { name: 'unknown' }] } }));
    expect(refusal.details.causes?.map(({ field }) => field)).toEqual(['spec.addOns[1].name']);
  });

  it('are not judged again when something else changes, though the catalogue has moved on', async () => {
    await bench.create({ addOns: [sized(2)] });
    await bench.catalogue.merge('sized', undefined, {
      spec: { valuesSchema: { properties: { size: { type: 'integer', minimum: 5 } } } },
    });
    await bench.merge(SCALED);
    const refusal = await refusalOf(bench.merge({ spec: { addOns: [sized(1)] } }));
    expect(refusal.details.causes?.map(({ field }) => field)).toEqual(['spec.addOns[0].values.size']);
  });
});

describe('an add-on that a cluster does not want and that another one has come to need', () => {
  const UNWANTED = { name: 'baseline', enabled: false };
  const refusedField = async (addOns: readonly object[]): Promise<unknown> =>
    (await refusalOf(bench.merge({ spec: { addOns } }))).details.causes?.map(({ field }) => field);
  beforeEach(async () => {
    await bench.catalogue.merge('docs', undefined, { spec: { dependsOn: [] } });
    await bench.create({ addOns: [UNWANTED, { name: 'docs' }] });
    await bench.catalogue.merge('docs', undefined, { spec: { dependsOn: ['baseline'] } });
  });

  it('stands in the way of no other change', async () => {
    await bench.merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } });
    await bench.merge({ spec: { addOns: [UNWANTED, { name: 'docs' }, { name: 'sized', values: { size: 1 } }] } });
    await bench.merge({ spec: { addOns: [UNWANTED] } });
  });

  it('is judged where it is news', async () => {
    await bench.catalogue.ensure({ metadata: { name: 'more' }, spec: anAddOn('more', 'baseline').spec }, 'test');
    expect(await refusedField([UNWANTED, { name: 'docs' }, { name: 'more' }])).toEqual(['spec.addOns[0].enabled']);
    await bench.merge({ spec: { addOns: [{ name: 'docs' }] } });
    expect(await refusedField([UNWANTED, { name: 'docs' }])).toEqual(['spec.addOns[0].enabled']);
  });
});

describe('an add-on that a cluster does not want and that what comes by default needs', () => {
  const UNWANTED = { name: 'baseline', enabled: false };
  const comesByDefault = async (): Promise<unknown> => {
    const { metadata, spec } = anAddOn('storage', 'baseline');
    const named = { metadata: { name: metadata.name }, spec: { ...spec, defaultFor: ['sandbox-aws' as const] } };
    return bench.catalogue.ensure(named, 'test');
  };
  const causesOf = async (write: Promise<unknown>): Promise<unknown> => (await refusalOf(write)).details.causes;
  const refused = [{ field: 'spec.addOns[0].enabled', message: expect.stringContaining('add-on "storage" needs it') }];

  it('is refused, unless that is left out as well', async () => {
    await comesByDefault();
    expect(await causesOf(bench.create({ addOns: [UNWANTED] }))).toMatchObject(refused);
    await bench.create({ addOns: [UNWANTED, { name: 'storage', enabled: false }] });
    expect(await causesOf(bench.merge({ spec: { addOns: [UNWANTED] } }))).toMatchObject(refused);
  });

  it('stands in the way of no other change where the catalogue has it so by now', async () => {
    await bench.create({ addOns: [UNWANTED] });
    await comesByDefault();
    await bench.merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } });
    await bench.merge({ spec: { addOns: [UNWANTED, { name: 'sized', values: { size: 1 } }] } });
  });
});

describe('what comes by default and cannot be installed, of a cluster that turned something else off', () => {
  const comesByDefault = async (name: string, ...dependsOn: string[]): Promise<unknown> => {
    const { spec } = anAddOn(name, ...dependsOn);
    return bench.catalogue.ensure(
      { metadata: { name }, spec: { ...spec, defaultFor: ['sandbox-aws' as const] } },
      'test',
    );
  };
  const UNWANTED = { name: 'volumes', enabled: false };

  it.each([
    { reason: 'needs what is not there', needs: { storage: ['nowhere'] } },
    { reason: 'goes in a circle', needs: { storage: ['network'], network: ['storage'] } },
  ])('stands in the way of no change where it $reason', async ({ needs }) => {
    await bench.create({ addOns: [UNWANTED] });
    for (const [name, dependsOn] of Object.entries(needs)) await comesByDefault(name, ...dependsOn);
    await bench.merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } });
    await bench.merge({ spec: { addOns: [UNWANTED, { name: 'docs' }] } });
    const refusal = await refusalOf(bench.merge({ spec: { addOns: [UNWANTED, { name: 'broken' }] } }));
    expect(refusal.details.causes?.map(({ message }) => message)).toEqual([expect.stringContaining('"nowhere"')]);
  });
});
