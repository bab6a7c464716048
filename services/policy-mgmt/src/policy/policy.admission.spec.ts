import { describe, expect, it } from '@jest/globals';
import { aPolicy, NAMED_DEMO, policyApi } from '../test/policies.js';

describe('writing a Policy', () => {
  it('accepts a rule that compiles', async () => {
    const { client } = policyApi();
    const stored = await client.ensure({ metadata: { name: 'a' }, spec: NAMED_DEMO }, 'test');
    expect(stored.spec).toEqual(NAMED_DEMO);
  });

  it('refuses a rule that does not, naming every bad field and its mistake', async () => {
    const { client } = policyApi();
    const spec = { ...NAMED_DEMO, when: 'documnt.x', expression: '1 +', message: '"a" + 1', forEach: 'true' };

    const failure = await client.ensure({ metadata: { name: 'a' }, spec }, 'test').catch((error: unknown) => error);

    expect(failure).toMatchObject({
      code: 'InvalidSpec',
      details: {
        causes: [
          { field: 'spec.forEach', message: expect.stringContaining('must give a list') },
          { field: 'spec.when', message: expect.stringContaining('line 1, column 1: Unknown variable: documnt') },
          { field: 'spec.expression', message: expect.stringContaining('line 1, column 4') },
          { field: 'spec.message', message: expect.stringContaining('string + int') },
        ],
      },
    });
    expect(await client.find('a')).toBeUndefined();
  });

  it.each([
    { name: 'a plan has resources', stage: 'TerraformPlan', isAccepted: true },
    { name: 'a cluster has none', stage: 'ClusterSpec', isAccepted: false },
  ] as const)('knows what each stage offers: $name', async ({ stage, isAccepted }) => {
    const { client } = policyApi();
    const spec = { ...NAMED_DEMO, stage, expression: 'resources.size() == 0' };
    const writing = client.ensure({ metadata: { name: 'a' }, spec }, 'test');
    if (isAccepted) await expect(writing).resolves.toBeDefined();
    else await expect(writing).rejects.toMatchObject({ code: 'InvalidSpec' });
  });

  it.each([
    { source: 'document.spec.controlPlan.replicas >= 3', want: 'No such key: controlPlan' },
    { source: 'document.spec.controlPlane.replicas == "3"', want: 'int == string' },
    { source: 'document.spec.nodePools.all(pool, pool.replicas > "1")', want: undefined },
    { source: 'document.metadata.labels.team != ""', want: undefined },
  ])('knows what a cluster can have: $source', async ({ source, want }) => {
    const writing = policyApi().client.ensure(
      { metadata: { name: 'a' }, spec: { ...NAMED_DEMO, expression: source } },
      'test',
    );
    if (want === undefined) await expect(writing).resolves.toBeDefined();
    else await expect(writing).rejects.toThrow(want);
  });

  it('takes plain text for text, quotation marks of one kind included', async () => {
    const { client } = policyApi();
    const { spec } = aPolicy('a', { message: "The team's name is missing", field: 'spec.region' });
    await expect(client.ensure({ metadata: { name: 'a' }, spec }, 'test')).resolves.toBeDefined();
  });
});
