import { describe, expect, it } from '@jest/globals';
import type { PolicyReviewRequest, PolicySpec } from '@crate/api';
import { InMemoryLogger } from '@crate/telemetry';
import { RuleReviewer } from '../review/policy-reviewer.js';
import { aRule } from '../testing/a-policy.js';
import { explain, type RuleExplanation } from './explanation.js';

const REVIEWER = new RuleReviewer(new InMemoryLogger());
const MANIFEST = { match: { stages: ['Manifest' as const] } };

function explained(spec: Partial<PolicySpec>, request: Partial<PolicyReviewRequest>): RuleExplanation {
  const subject = { namespace: 'team-a', name: 'demo' };
  const rule = aRule('rule', { ...MANIFEST, ...spec });
  const { rules } = explain({ stage: 'Manifest', document: {}, subject, ...request }, { policies: [rule] }, REVIEWER);
  return rules[0] as RuleExplanation;
}

function valuesOf({ reasons }: RuleExplanation): readonly string[] {
  return reasons.flatMap(({ values }) => values.map(({ source, shown }) => `${source} = ${shown}`));
}

describe('explain', () => {
  it('tells of a rule that is broken the values that decided, also those behind variables', () => {
    const rule = explained(
      {
        params: { least: 3 },
        exceptions: [{ projects: ['team-*'], params: { least: 2 }, enforcement: 'warn' }],
        variables: [
          { name: 'machines', expression: 'object.spec.a + object.spec.b' },
          { name: 'isEnough', expression: 'variables.machines >= params.least' },
        ],
        validations: [{ expression: 'variables.isEnough', message: 'few' }],
      },
      { document: { spec: { a: 1, b: 0 } } },
    );
    expect(rule).toMatchObject({
      result: 'fail',
      enforcement: 'warn',
      violations: [{ effect: 'warn', message: 'few' }],
    });
    expect(valuesOf(rule)).toEqual([
      'variables.isEnough = false',
      'variables.machines = 1',
      'params.least = 2',
      'object.spec.a = 1',
      'object.spec.b = 0',
    ]);
  });

  it('names the items that fail, a few of them', () => {
    const document = { spec: { ports: [80, 90, 100, 22, 1, 2].map((port) => ({ port })) } };
    const rule = explained(
      { validations: [{ forEach: 'object.spec.ports', expression: 'item.port == 90' }] },
      { document },
    );
    expect(rule.violations).toHaveLength(5);
    expect(rule.reasons.map(({ place }) => place)).toEqual(
      [0, 2, 3].map((index) => `validations[0], item ${index} of object.spec.ports`),
    );
    expect(valuesOf(rule)[1]).toBe('item.port = 100');
  });

  it('tells of a skipped rule the condition that was not met', () => {
    const matchConditions = [{ name: 'is-big', expression: 'object.spec.size > 5' }];
    const rule = explained({ matchConditions }, { document: { spec: { size: 2 } } });
    expect(rule).toMatchObject({ result: 'skip', reasons: [{ place: 'matchConditions "is-big"' }] });
    expect(valuesOf(rule)).toEqual(['object.spec.size = 2']);
  });

  it.each([
    { match: { stages: ['EngineConfig'] }, want: 'match.stages: EngineConfig; the document is Manifest' },
    { match: { kinds: ['apps/Deployment'] }, want: 'match.kinds: apps/Deployment; the kind is Pod' },
    { match: { projects: ['prod-*'] }, want: 'match.projects: prod-*; the Project is team-a' },
    { match: { excludeProjects: ['team-a'] }, want: 'match.excludeProjects: team-a; the Project is team-a' },
    { match: { operations: ['DELETE'] }, want: 'match.operations: DELETE; the operation is UPDATE' },
    { match: { providers: ['gcp'] }, want: 'match.providers: gcp; the provider is aws' },
    {
      match: { labels: { matchLabels: { a: 'b' } } },
      want: 'match.labels: {"matchLabels":{"a":"b"}}; the labels do not fit',
    },
  ] as const)('tells why a rule was not asked: $want', ({ match, want }) => {
    const subject = { namespace: 'team-a', name: 'demo', provider: 'aws' };
    const document = { apiVersion: 'v1', kind: 'Pod' };
    const rule = explained({ match: { ...MANIFEST.match, ...match } as PolicySpec['match'] }, { document, subject });
    expect(rule).toMatchObject({ result: 'unmatched', mismatches: [want] });
  });

  it.each([
    {
      name: 'data of a Secret, in messages too',
      document: { kind: 'Secret', data: { key: 'c2VjcmV0LXZhbHVl' } },
      expression: 'object.data.key == "" && string(base64.decode(object.data.key)) == ""',
      secrets: ['c2VjcmV0LXZhbHVl', 'secret-value'],
    },
    {
      name: 'environment variables',
      document: { env: [{ name: 'DB_PASSWORD', value: 'correct-horse' }] },
      expression: 'object.env.all(e, e.value == "")',
      secrets: ['correct-horse'],
    },
    {
      name: 'members by name, however short',
      document: { spec: { adminPassword: 'abc' } },
      expression: 'object.spec.adminPassword == ""',
      secrets: ['abc'],
    },
    {
      name: 'inside a whole object',
      document: { spec: { master_password: 'correct-horse' } },
      expression: 'object.spec == {}',
      secrets: ['correct-horse'],
    },
  ])('keeps secrets to itself: $name', ({ document, expression, secrets }) => {
    const messageExpression = '"It is " + string(object.?data.?key.orValue(""))';
    const rule = explained({ validations: [{ expression, messageExpression }] }, { document });
    expect(rule.result).toBe('fail');
    expect(valuesOf(rule).length).toBeGreaterThan(0);
    for (const secret of secrets) expect(JSON.stringify(rule)).not.toContain(secret);
  });

  it('keeps to itself what Terraform calls sensitive', () => {
    const change = {
      actions: ['create'],
      after: { note: 'hush-hush', open: 'shown' },
      after_sensitive: { note: true },
    };
    const rule = explained(
      {
        match: { stages: ['TerraformPlan'] },
        validations: [{ forEach: 'resources', expression: 'item.values.note == item.values.open' }],
      },
      { stage: 'TerraformPlan', document: { resource_changes: [{ address: 'a.b', type: 'a', name: 'b', change }] } },
    );
    expect(valuesOf(rule)).toEqual(['item.values.note = "[redacted]"', 'item.values.open = "shown"']);
  });

  it('cuts short what is long, and says how long it was', () => {
    const document = { spec: { names: Array.from({ length: 100 }, (_, index) => `name-${index}`) } };
    const [line = ''] = valuesOf(
      explained({ validations: [{ expression: '"x" in object.spec.names' }] }, { document }),
    );
    expect(line).toMatch(/… \(100 items\)$/);
    expect(line.length).toBeLessThan(250);
  });
});
