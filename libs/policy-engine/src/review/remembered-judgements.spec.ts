import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PolicyReviewRequest, PolicySpec } from '@crate/api';
import { InMemoryLogger } from '@crate/telemetry';
import type { CataloguedPolicy } from '../rule/catalogued-policy.js';
import { aRule } from '../testing/a-policy.js';
import { RuleReviewer, type DetailedReview } from './policy-reviewer.js';
import { RememberedJudgements } from './remembered-judgements.js';

const CREATED: PolicyReviewRequest = {
  stage: 'ClusterSpec',
  operation: 'CREATE',
  document: { metadata: { name: 'demo' }, spec: { nodes: 3 } },
  subject: { namespace: 'team-a', name: 'demo' },
  userInfo: { username: 'ada', groups: ['dev'] },
};
/** The same cluster as a pass asks about it: the database gives its members in an order of its own. */
const STANDING: PolicyReviewRequest = {
  stage: CREATED.stage,
  document: { spec: { nodes: 3 }, metadata: { name: 'demo' } },
  subject: CREATED.subject,
  remember: true,
};

let judged: number;
let reviewer: RuleReviewer;
beforeEach(() => {
  judged = 0;
  reviewer = reviewerOf(new RememberedJudgements());
});

function reviewerOf(remembered?: RememberedJudgements): RuleReviewer {
  return new RuleReviewer(new InMemoryLogger(), { ruleMs: 1_000, reviewMs: 60_000 }, undefined, remembered);
}

/** A rule that counts how often it judges. */
function counted(expression: string, spec: Partial<PolicySpec> = {}): CataloguedPolicy {
  const rule = aRule('counted', { validations: [{ expression, message: 'no' }], ...spec });
  for (const compilation of rule.compilations.values()) {
    if (!compilation.ok) throw new Error('The rule does not compile');
    for (const { expression: condition } of compilation.policy.validations) {
      const evaluate = condition.evaluate.bind(condition);
      Object.assign(condition, { evaluate: (given: never) => ((judged += 1), evaluate(given)) });
    }
  }
  return rule;
}

function review(request: PolicyReviewRequest, ...policies: readonly CataloguedPolicy[]): DetailedReview {
  return reviewer.reviewInDetail(request, { policies });
}

describe('RememberedJudgements', () => {
  it.each([
    { name: 'a pass that comes after its creation', again: STANDING, expression: 'object.spec.nodes < 3' },
    { name: 'a rule that looks at what was there', again: STANDING, expression: 'oldObject == null' },
    { name: 'somebody else who asks for the same', again: { ...CREATED, dryRun: true }, expression: 'true' },
    {
      name: 'another cluster that is alike but for its name',
      again: { ...CREATED, document: { metadata: { name: 'other' }, spec: { nodes: 3 } } },
      expression: 'object.spec.nodes < 3 || has(object.metadata.labels)',
    },
    {
      name: 'another cluster that is alike but for its name, of a rule that asks whether it is new',
      again: {
        ...CREATED,
        document: { metadata: { name: 'other' }, spec: { nodes: 3 } },
        subject: { namespace: 'team-a', name: 'other' },
        userInfo: { username: 'bob', groups: [] },
      },
      expression: 'request.operation == "CREATE" && object.spec.nodes < 3',
    },
  ])('spares a rule what it has judged: $name', ({ again, expression }) => {
    const rule = counted(expression);
    const first = review(CREATED, rule);
    expect(review(again, rule)).toEqual(first);
    expect(judged).toBe(1);
  });

  it.each([
    {
      name: 'another document',
      again: { ...CREATED, document: { metadata: { name: 'demo' }, spec: { nodes: 1 } } },
      expression: 'object.spec.nodes < 3',
      want: ['fail', 'pass'],
    },
    {
      name: 'another name, of a rule that looks at names',
      again: { ...CREATED, document: { metadata: { name: 'other' }, spec: { nodes: 3 } } },
      expression: 'object.metadata.name == "demo"',
      want: ['pass', 'fail'],
    },
    {
      name: 'another name, of a rule whose only item is the document',
      again: { ...CREATED, document: { metadata: { name: 'other' }, spec: { nodes: 3 } } },
      expression: 'item.metadata.name == "demo"',
      want: ['pass', 'fail'],
    },
    {
      name: 'a member that is empty, where it was absent before',
      again: { ...CREATED, document: { metadata: { name: 'demo', labels: {} }, spec: { nodes: 3 } } },
      expression: 'has(object.metadata.labels)',
      want: ['fail', 'pass'],
    },
    {
      name: 'a deletion, in which there is no object',
      again: { ...CREATED, operation: 'DELETE' as const },
      expression: 'object != null',
      spec: { match: { stages: ['ClusterSpec' as const], operations: ['CREATE' as const, 'DELETE' as const] } },
      want: ['pass', 'fail'],
    },
    {
      name: 'another operation, of a rule that asks for it',
      again: STANDING,
      expression: 'request.operation == "CREATE"',
      want: ['pass', 'fail'],
    },
    {
      name: 'another person, of a rule whose variable asks for them',
      again: { ...CREATED, userInfo: { username: 'bob', groups: [] } },
      expression: 'variables.user == "ada"',
      spec: { variables: [{ name: 'user', expression: '\nrequest.userInfo.username' }] },
      want: ['pass', 'fail'],
    },
    {
      name: 'another state before, of a rule that looks at it',
      again: { ...CREATED, oldDocument: { spec: { nodes: 9 } } },
      expression: 'oldObject == null || oldObject.spec.nodes < 9',
      want: ['pass', 'fail'],
    },
    {
      name: 'another Project, for which the rule has an exception',
      again: { ...CREATED, subject: { namespace: 'team-b', name: 'demo' } },
      expression: 'object.spec.nodes <= params.most',
      spec: { params: { most: 3 }, exceptions: [{ projects: ['team-b'], params: { most: 2 } }] },
      want: ['pass', 'fail'],
    },
  ])('judges again: $name', ({ again, expression, spec = {}, want }) => {
    const rule = counted(expression, spec);
    expect([CREATED, again].map((request) => review(request, rule).results[0]?.result)).toEqual(want);
    expect(judged).toBe(2);
  });

  const PLACED = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'kube-system' }, data: {} };

  it.each([
    {
      name: 'its twin in another namespace, of a rule that asks where it is',
      twin: { ...PLACED, metadata: { name: 'web', namespace: 'shop' } },
      expression: 'request.namespace == "kube-system" && size(object.data) == 0',
    },
    {
      name: 'its twin of another kind, of a rule that asks for kinds',
      twin: { ...PLACED, kind: 'Secret' },
      expression: 'request.kind.kind == "ConfigMap" && size(object.data) == 0',
    },
  ])('judges an object again: $name', ({ twin, expression }) => {
    const rule = counted(expression, { match: { stages: ['Manifest'] } });
    const subject = { namespace: 'team-a', name: 'web', cluster: 'demo' };
    const results = [PLACED, twin].map((document) => review({ stage: 'Manifest', document, subject }, rule).results[0]);
    expect(results.map((result) => result?.result)).toEqual(['pass', 'fail']);
  });

  it('keeps what a rule made of a creation when the pass behind it asks, too', () => {
    const rule = counted('request.operation == "CREATE"');
    [CREATED, STANDING, CREATED, STANDING].forEach((request) => review(request, rule));
    expect(judged).toBe(2);
  });

  it('spares a rule that asks who it is, where only it is to be remembered this time', () => {
    const rule = counted('request.userInfo.username == ""');
    const { userInfo: _userInfo, ...asked } = CREATED;
    [asked, { ...asked, remember: true }].forEach((request) => review(request, rule));
    expect(judged).toBe(1);
  });

  it('judges by a rule of the same name that was changed meanwhile, and by those that are new', () => {
    const [before, after, further] = [counted('true'), counted('false'), counted('object.spec.nodes == 2')];
    expect(review(CREATED, before).results.map(({ result }) => result)).toEqual(['pass']);
    expect(review(CREATED, before, after, further).results.map(({ result }) => result)).toEqual([
      'pass',
      'fail',
      'fail',
    ]);
    expect(review(CREATED, further, before, after).results.map(({ result }) => result)).toEqual([
      'fail',
      'pass',
      'fail',
    ]);
    expect(judged).toBe(3);
  });

  it('tries again what could not be evaluated', () => {
    const rule = counted('object.spec.absent == 1');
    // A rule that fails is compiled anew, so each attempt leaves another one.
    const tried = [1, 2].map(() => {
      expect(review(CREATED, rule).results[0]?.result).toBe('error');
      const compilation = rule.compilations.get('ClusterSpec');
      return compilation?.ok ? compilation.policy : undefined;
    });
    expect(tried[0]).toBeDefined();
    expect(tried[1]).not.toBe(tried[0]);
  });

  it('forgets what nobody asked about for the longest time', () => {
    reviewer = reviewerOf(new RememberedJudgements(2));
    const rule = counted('object.metadata.name != ""');
    const named = (name: string): PolicyReviewRequest => ({ ...CREATED, document: { metadata: { name } } });
    for (const name of ['a', 'b', 'a', 'c', 'a']) review(named(name), rule);
    expect(judged).toBe(3);
    review(named('b'), rule);
    expect(judged).toBe(4);
  });

  it('remembers nothing of plans, and nothing at all where it is not asked to', () => {
    const plan: PolicyReviewRequest = { ...CREATED, stage: 'TerraformPlan', document: { resource_changes: [] } };
    const rule = counted('true', { match: { stages: ['TerraformPlan', 'ClusterSpec'] } });
    [plan, plan].forEach((request) => review(request, rule));
    reviewer = reviewerOf();
    [CREATED, CREATED].forEach((request) => review(request, rule));
    expect(judged).toBe(4);
  });
});
