import { describe, expect, it } from '@jest/globals';
import { plannedResources, RuleReviewer } from '@crate/policy-engine';
import { InMemoryLogger } from '@crate/telemetry';
import { bareLoop, bareRule } from './bare-cel.js';
import { bigPlan } from './big-plan.js';
import { bufbuildExpression, equivalentRules, EXPRESSIONS } from './equivalent-rules.js';
import { BROKEN_REVIEW, clusterReviews } from './ordinary-clusters.js';
import { inRounds } from './rounds.js';
import { compiled, repeated, shippedRules } from './shipped-rules.js';

describe('bigPlan', () => {
  it('makes so many resources of the types of the stack, some of whose values are unknown', () => {
    const resources = plannedResources(bigPlan(300));
    expect(resources).toHaveLength(300);
    expect(new Set(resources.map(({ address }) => address)).size).toBe(300);
    expect(new Set(resources.map(({ type }) => type)).size).toBeGreaterThan(15);
    const instance = resources.find(({ type }) => type === 'aws_instance');
    expect(instance).toMatchObject({
      actions: ['create'],
      values: { root_block_device: [{ encrypted: true }] },
      unknown: { id: true, subnet_id: true },
    });
    expect(instance?.values).not.toHaveProperty('subnet_id');
  });

  it('is the same again', () => {
    expect(bigPlan(300)).toEqual(bigPlan(300));
  });
});

describe('repeated', () => {
  it('gives every copy a name and params of its own', async () => {
    const shipped = await shippedRules('TerraformPlan');
    const rules = repeated(shipped, shipped.length + 5);
    expect(new Set(rules.map(({ name }) => name)).size).toBe(shipped.length + 5);
    expect(rules.at(-1)?.spec.params).toMatchObject({ copy: 1 });
  });
});

describe('bareLoop', () => {
  it('finds as much as the engine does, by the rules that the library can judge alone', () => {
    const rules = equivalentRules();
    const broken = { type: 'aws_subnet', values: { map_public_ip_on_launch: true } };
    const values = { resources: [broken, { type: 'aws_iam_user', values: {} }] };
    const bare = rules.flatMap((rule) => bareRule(rule) ?? []);
    expect(bare).toHaveLength(rules.length);
    expect(bareLoop(bare, values)).toBe(2);
    expect(EXPRESSIONS.map(bufbuildExpression).filter((holds) => !holds(values.resources as never))).toHaveLength(2);
  });

  it('leaves out a rule that needs what the library lacks', () => {
    const [rule] = equivalentRules();
    const spec = { ...rule?.spec, validations: [{ expression: 'cidr("10.0.0.0/8").prefixLength() == 8' }] };
    expect(bareRule({ name: 'a', spec: spec as never })).toBeUndefined();
  });
});

describe('clusterReviews', () => {
  it('asks about clusters that no rule denies, unlike the one that shows that rules are judged', async () => {
    const policies = compiled(await shippedRules('ClusterSpec'));
    const reviewer = new RuleReviewer(new InMemoryLogger());
    const verdicts = clusterReviews(60).map((request) => reviewer.review(request, { policies }));
    expect(verdicts.filter(({ allowed }) => !allowed)).toEqual([]);
    expect(reviewer.review(BROKEN_REVIEW, { policies }).allowed).toBe(false);
  });
});

describe('inRounds', () => {
  it('runs all subjects as often, in turns, and leaves the warm-up out', () => {
    const order: string[] = [];
    const subjects = { a: () => void order.push('a'), b: () => void order.push('b') };
    const { a, b } = inRounds(subjects, { warmUp: 5, runs: 20 });
    expect([a.latency.count, b.latency.count]).toEqual([20, 20]);
    expect(order).toHaveLength(50);
    expect(order.slice(10, 14)).toEqual(['a', 'a', 'b', 'b']);
  });
});
