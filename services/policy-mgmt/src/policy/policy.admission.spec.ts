import { describe, expect, it } from '@jest/globals';
import type { Policy } from '@crate/api';
import { NAMED_DEMO } from '@crate/policy-engine';
import { policyApi } from '../testing/policies.js';

describe('writing a Policy', () => {
  it('accepts a rule that compiles', async () => {
    const { client } = policyApi();
    const stored = await client.ensure({ metadata: { name: 'a' }, spec: NAMED_DEMO }, 'test');
    expect(stored.spec).toEqual(NAMED_DEMO);
  });

  it('refuses a rule that does not, naming every bad field and its mistake', async () => {
    const { client } = policyApi();
    const validation = { forEach: 'true', when: 'documnt.x', expression: '1 +', messageExpression: '"a" + 1' };
    const spec = { ...NAMED_DEMO, validations: [validation] };

    const failure = await client.ensure({ metadata: { name: 'a' }, spec }, 'test').catch((error: unknown) => error);

    expect(failure).toMatchObject({
      code: 'InvalidSpec',
      details: {
        causes: [
          { field: 'spec.validations[0].forEach', message: expect.stringContaining('must give a list') },
          {
            field: 'spec.validations[0].when',
            message: expect.stringContaining('line 1, column 1: Unknown variable: documnt'),
          },
          { field: 'spec.validations[0].expression', message: expect.stringContaining('line 1, column 4') },
          { field: 'spec.validations[0].messageExpression', message: expect.stringContaining('string + int') },
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
    const spec = { ...NAMED_DEMO, match: { stages: [stage] }, validations: [{ expression: 'resources.size() == 0' }] };
    const writing = client.ensure({ metadata: { name: 'a' }, spec }, 'test');
    if (isAccepted) await expect(writing).resolves.toBeDefined();
    else await expect(writing).rejects.toMatchObject({ code: 'InvalidSpec' });
  });

  it.each([
    { source: 'object.spec.controlPlan.replicas >= 3', want: 'No such key: controlPlan' },
    { source: 'object.spec.controlPlane.replicas == "3"', want: 'int == string' },
    { source: 'object.spec.nodePools.all(pool, pool.replicas > "1")', want: undefined },
    { source: 'object.metadata.labels.team != ""', want: undefined },
  ])('knows what a cluster can have: $source', async ({ source, want }) => {
    const writing = policyApi().client.ensure(
      { metadata: { name: 'a' }, spec: { ...NAMED_DEMO, validations: [{ expression: source }] } },
      'test',
    );
    if (want === undefined) await expect(writing).resolves.toBeDefined();
    else await expect(writing).rejects.toThrow(want);
  });

  it('tells a mistake of each stage that has it', async () => {
    const { client } = policyApi();
    const spec: Policy['spec'] = {
      ...NAMED_DEMO,
      match: { stages: ['ClusterSpec', 'TerraformPlan'] },
      validations: [{ expression: 'resources.size() == 0' }],
    };
    await expect(client.ensure({ metadata: { name: 'a' }, spec }, 'test')).rejects.toThrow(
      /resources.*stage ClusterSpec/,
    );
  });

  it.each([
    { source: 'params.least > 1', params: { least: 1 }, want: undefined },
    { source: 'params.lest > 1', params: { least: 1 }, want: 'No such key: lest' },
    { source: 'variables.a == 1', params: {}, want: undefined },
    { source: 'variables.b == 1', params: {}, want: 'No such key: b' },
    { source: 'request.userInfo.nme == ""', params: {}, want: 'No such key: nme' },
    { source: 'namespaceObject.metadata.name == ""', params: {}, want: 'match Projects by name' },
  ])('knows what a rule has of its own: $source', async ({ source, params, want }) => {
    const spec = {
      ...NAMED_DEMO,
      params,
      variables: [{ name: 'a', expression: '1' }],
      validations: [{ expression: source }],
    };
    const writing = policyApi().client.ensure({ metadata: { name: 'a' }, spec }, 'test');
    if (want === undefined) await expect(writing).resolves.toBeDefined();
    else await expect(writing).rejects.toThrow(want);
  });
});
