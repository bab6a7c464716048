import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PolicyReviewRequest, PolicyReviewResponse, PolicySpec } from '@crate/api';
import { InMemoryLogger } from '@crate/telemetry';
import { aRule, NAMED_DEMO } from '../testing/a-policy.js';
import { RuleReviewer } from './policy-reviewer.js';
import type { CataloguedPolicy } from '../rule/catalogued-policy.js';
import type { ActiveWaiver } from './waiver.js';

function request(document: Record<string, unknown>): PolicyReviewRequest {
  return { stage: 'ClusterSpec', document, subject: { namespace: 'team-a', name: 'demo' } };
}

const other = request({ metadata: { name: 'other' }, items: [{ n: 1 }, { n: 2 }, { n: 3 }] });

type Validation = PolicySpec['validations'][number];

/** A rule of one validation, laid over the ordinary one. */
function catalogued(name: string, over: Partial<PolicySpec & Validation> = {}): CataloguedPolicy {
  const { forEach, when, expression, message, messageExpression, field, fieldExpression, ...spec } = over;
  const stated = { forEach, when, expression, message, messageExpression, field, fieldExpression };
  const known = Object.entries(stated).filter(([, part]) => part !== undefined);
  const validation = { ...NAMED_DEMO.validations[0], ...Object.fromEntries(known) } as Validation;
  if (message !== undefined && messageExpression === undefined) delete validation.messageExpression;
  return aRule(name, { validations: [validation], ...spec });
}

describe('RuleReviewer', () => {
  let logger: InMemoryLogger;
  let reviewer: RuleReviewer;

  beforeEach(() => {
    logger = new InMemoryLogger();
    reviewer = new RuleReviewer(logger, { ruleMs: 1_000, reviewMs: 60_000 });
  });

  it('allows what no rule objects to', () => {
    const answer = reviewer.review(request({ metadata: { name: 'demo' } }), { policies: [catalogued('a')] });
    expect(answer).toEqual({ allowed: true, violations: [] });
  });

  it('names rule, level, field, message and remedy', () => {
    expect(reviewer.review(other, { policies: [catalogued('a', { references: ['CIS 1'] })] })).toEqual({
      allowed: false,
      violations: [
        {
          policy: 'a',
          level: 'must',
          severity: 'medium',
          effect: 'deny',
          title: 'The name is demo',
          field: 'metadata.name',
          message: 'The name is other',
          remedy: 'Use demo',
          references: ['CIS 1'],
        },
      ],
    });
  });

  it('denies for must only, and sorts by level, policy and field', () => {
    const rules = [
      catalogued('d', { level: 'may' }),
      catalogued('c', {
        level: 'should',
        forEach: 'object.items',
        fieldExpression: '"items[" + string(2 - index) + "]"',
      }),
      catalogued('b', { level: 'should' }),
    ];
    const answer = reviewer.review(other, { policies: rules });
    expect(answer.allowed).toBe(true);
    expect(answer.violations.map(({ policy, field }) => `${policy} ${field}`)).toEqual([
      'b metadata.name',
      'c items[0]',
      'c items[1]',
      'c items[2]',
      'd metadata.name',
    ]);
    expect(reviewer.review(other, { policies: [...rules, catalogued('e')] }).violations[0]?.policy).toBe('e');
  });

  it('judges the items that `when` lets through', () => {
    const rule = catalogued('a', {
      forEach: 'object.items',
      when: 'item.n != 2',
      expression: 'item.n > 5',
      messageExpression: '"n is " + string(item.n)',
    });
    expect(reviewer.review(other, { policies: [rule] }).violations.map(({ message }) => message)).toEqual([
      'n is 1',
      'n is 3',
    ]);
  });

  it('tells ten objections of one rule and counts the rest', () => {
    const items = Array.from({ length: 200 }, (_, n) => ({ n }));
    const rule = catalogued('a', { forEach: 'object.items', expression: 'false', message: 'Bad' });
    const { violations } = reviewer.review(request({ items }), { policies: [rule] });
    expect(violations).toHaveLength(10);
    expect(violations.filter(({ message }) => message === 'Bad (and 190 more)')).toHaveLength(1);
  });

  describe('with a waiver for some fields', () => {
    const MANY = 1_500;
    const rule = catalogued('a', {
      forEach: 'object.items',
      expression: 'false',
      message: 'Bad',
      fieldExpression: '"items[" + string(index) + "]"',
      waivableBy: 'ProjectAdmin',
    });
    const waiver = (fields?: readonly string[]): ActiveWaiver => ({
      namespace: 'team-a',
      name: 'w',
      policies: ['a'],
      expiresAtMs: Date.now() + 60_000,
      authority: 'PlatformAdmin',
      ...(fields ? { fields } : {}),
    });
    const judged = (count: number, fields?: readonly string[]): PolicyReviewResponse => {
      const items = Array.from({ length: count }, (_, n) => ({ n }));
      return reviewer.review(request({ items }), { policies: [rule], waivers: [waiver(fields)] });
    };

    it('denies what it does not cover, however much it covers before that', () => {
      const ten = Array.from({ length: 10 }, (_, n) => `items[${n}]`);
      const answer = judged(12, ten);
      expect(answer.allowed).toBe(false);
      expect(answer.violations.map(({ field }) => field)).toEqual(['items[10]', 'items[11]']);
      expect(answer.recorded).toHaveLength(10);
      expect(answer.recorded?.filter(({ message }) => message.includes('more'))).toEqual([]);
    });

    it('denies what is beyond those that are looked at one by one', () => {
      const answer = judged(MANY, ['items*']);
      expect(answer.allowed).toBe(false);
      expect(answer.violations.map(({ message }) => message)).toEqual(['Bad (and 499 more)']);
      expect(answer.recorded?.at(-1)?.message).toBe('Bad (and 990 more)');
    });

    it('allows all that one covers which names no fields', () => {
      const answer = judged(MANY);
      expect(answer.allowed).toBe(true);
      expect(answer.recorded?.filter(({ message }) => message === 'Bad (and 1490 more)')).toHaveLength(1);
    });
  });

  const broken: { name: string; spec: Parameters<typeof catalogued>[1]; message: RegExp }[] = [
    { name: 'a missing key', spec: { expression: 'object.spec.x == 1' }, message: /No such key: spec/ },
    { name: 'a result that is no condition', spec: { expression: 'object.metadata' }, message: /must give a bool/ },
    { name: 'a list that is none', spec: { forEach: 'object.metadata' }, message: /must give a list/ },
    { name: 'a `when` that fails', spec: { when: 'object.absent == 1' }, message: /No such key: absent/ },
    {
      name: 'an expression that no longer compiles',
      spec: { expression: 'documnt.x' },
      message: /Unknown variable: documnt/,
    },
    {
      name: 'an expression that takes too long',
      spec: {
        expression: '("a".matches("^(a+)+$") || object.metadata.name != "") && object.long.matches("^(a+)+$")',
      },
      message: /It took longer than 1000 ms/,
    },
  ];

  it.each(broken)('counts $name as violated: a broken must denies, a broken may does not', ({ spec, message }) => {
    const document = request({ metadata: { name: 'other' }, long: `${'a'.repeat(60)}!` });
    const answer = reviewer.review(document, { policies: [catalogued('a', spec)] });
    expect(answer.allowed).toBe(false);
    expect(answer.violations).toHaveLength(1);
    expect(answer.violations[0]?.message).toMatch(/^The policy cannot be evaluated: /);
    expect(answer.violations[0]?.message).toMatch(message);
    expect(logger.at('warn')).toHaveLength(1);
    expect(reviewer.review(document, { policies: [catalogued('a', { ...spec, level: 'may' })] }).allowed).toBe(true);
  });

  it('bounds the time of a whole review, and denies for what it did not get to', () => {
    const slow = { expression: 'object.long.matches("^(a+)+$")' };
    const rules = Array.from({ length: 20 }, (_, index) => catalogued(`slow-${index}`, slow));
    const hurried = new RuleReviewer(logger, { ruleMs: 200, reviewMs: 500 });
    const answer = hurried.review(request({ long: `${'a'.repeat(60)}!` }), { policies: rules });

    expect(answer.violations).toHaveLength(20);
    expect(answer.violations.some(({ message }) => message.includes('The time for the review was over'))).toBe(true);
  });

  it('judges the rules before and after one that takes too long', () => {
    const rules = [
      catalogued('a-before'),
      catalogued('b-slow', { expression: 'object.long.matches("^(a+)+$")' }),
      catalogued('c-after'),
      catalogued('d-fine', { expression: 'true' }),
    ];
    const { violations } = reviewer.review(request({ metadata: { name: 'other' }, long: `${'a'.repeat(60)}!` }), {
      policies: rules,
    });
    expect(violations.map(({ policy, message }) => [policy, message])).toEqual([
      ['a-before', 'The name is other'],
      ['b-slow', expect.stringContaining('It took longer than 1000 ms')],
      ['c-after', 'The name is other'],
    ]);
  });

  it('judges rightly again with a rule that was stopped', () => {
    const rule = catalogued('a', {
      expression: 'object.l.all(a, object.l.all(b, object.l.all(c, a + b + c >= 0)))',
      message: 'Negative',
    });
    const long = request({ l: Array.from({ length: 3000 }, (_, index) => index) });
    expect(reviewer.review(long, { policies: [rule] }).allowed).toBe(false);
    expect(reviewer.review(request({ l: [1, 2] }), { policies: [rule] })).toEqual({ allowed: true, violations: [] });
    expect(reviewer.review(request({ l: [1, -5] }), { policies: [rule] }).violations[0]?.message).toBe('Negative');
  });
});
