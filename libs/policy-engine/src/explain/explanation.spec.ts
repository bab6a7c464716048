import { describe, expect, it } from '@jest/globals';
import type { PolicyReviewRequest, PolicySpec } from '@crate/api';
import { InMemoryLogger } from '@crate/telemetry';
import { RuleReviewer } from '../review/policy-reviewer.js';
import { aRule } from '../testing/a-policy.js';
import { explain, type RuleExplanation } from './explanation.js';

const REVIEWER = new RuleReviewer(new InMemoryLogger());
/** Its message holds a secret of the document, where there is one. */
const NAMING = {
  match: { stages: ['Manifest' as const] },
  validations: [
    {
      forEach: 'object.ports',
      expression: 'item == 90',
      messageExpression: '"Not " + object.?secrets.?password0.orValue("there")',
    },
  ],
};
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

  describe('a document that takes long', () => {
    const SECRET = /aaaaaa\d/;
    const secrets = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`password${n}`, `aaaaaa${n}`]));
    const [subject, inForce] = [{ namespace: 'team-a', name: 'demo' }, { policies: [aRule('rule', NAMING)] }];
    const first = (document: unknown, stepMs?: number): RuleExplanation | undefined =>
      explain({ stage: 'Manifest', document, subject }, inForce, REVIEWER, stepMs).rules[0];

    // One pattern for each of them, made of all before it, would take many minutes.
    it('has its secrets taken out, however many there are', () => {
      const rule = first({ secrets, ports: [80] });
      expect(rule).toMatchObject({ result: 'fail', violations: [{ message: 'Not [redacted]' }], reasons: [{}] });
      expect(JSON.stringify(rule)).not.toMatch(SECRET);
    });

    it.each([
      { reason: 'nobody could tell its secrets in time', document: { secrets, ports: [80] }, stepMs: 1 },
      {
        reason: 'a secret is longer than can be looked for',
        document: { secrets: { password0: 'aaaaaa0'.repeat(400_000) }, ports: [80] },
      },
    ])('has a verdict, without words, where $reason', ({ document, stepMs }) => {
      const rule = first(document, stepMs);
      expect(rule).toMatchObject({ result: 'fail', violations: [{ field: 'spec', effect: 'deny' }], reasons: [] });
      expect(JSON.stringify(rule)).not.toMatch(SECRET);
    });

    it('has a verdict, without reasons, where they are not found in time', () => {
      const document = { ports: [...Array<number>(50_000).fill(90), 80] };
      expect(first(document)?.reasons).toHaveLength(1);
      expect(first(document, 1)).toMatchObject({ result: 'fail', reasons: [] });
    });
  });
});
