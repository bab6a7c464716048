import { describe, expect, it } from '@jest/globals';
import type { PolicySpec } from '@crate/api';
import { aPolicy } from '../testing/a-policy.js';
import { isShortRule } from './short-rule.js';

const PARAMS = { linear: '^[a-z]+(-[a-z]+)*$', slow: '^(a+)+$', list: ['^a'] };

const isShort = (expression: string, more: object = {}, spec: Partial<PolicySpec> = {}): boolean =>
  isShortRule(aPolicy('rule', { validations: [{ expression, ...more }], ...spec }).spec, PARAMS);

describe('isShortRule', () => {
  it.each([
    { expression: 'size(object.metadata.name) <= 45', more: {} },
    { expression: 'object.?spec.orValue("") in params.list || has(object.spec.a)', more: {} },
    { expression: 'size(item.name) + 5 <= 63', more: { forEach: 'object.spec.nodePools' } },
    { expression: 'object.metadata.name.matches(params.linear)', more: {} },
    { expression: 'object.spec.a', more: { messageExpression: '"The name has " + string(size(object.spec.a))' } },
  ])('is one that takes a step for each operator: $expression', ({ expression, more }) => {
    expect(isShort(expression, more)).toBe(true);
  });

  it.each([
    { name: 'a loop', expression: 'object.spec.list.all(a, a > 0)', more: {} },
    { name: 'a loop, its bracket further on', expression: 'object.spec.list.all\n (a, a > 0)', more: {} },
    { name: 'a loop behind a comment', expression: 'object.spec.list.all//\n(a, a > 0)', more: {} },
    { name: 'a regular expression', expression: 'object.spec.name.matches("(a+)+$")', more: {} },
    { name: 'a pattern that may take long', expression: 'object.spec.name.matches(params.slow)', more: {} },
    { name: 'a pattern that is no text', expression: 'object.spec.name.matches(params.list)', more: {} },
    { name: 'a pattern that is not there', expression: 'object.spec.name.matches(params.none)', more: {} },
    { name: 'a pattern made up', expression: 'object.spec.name.matches(params.linear + object.spec.a)', more: {} },
    {
      name: 'one pattern that is known and one that is not',
      expression: 'object.spec.a.matches(params.linear) || object.spec.a.matches(object.spec.b)',
      more: {},
    },
    {
      name: 'a pattern for each item',
      expression: 'object.spec.a.matches(params.linear)',
      more: { forEach: 'object.l' },
    },
    { name: 'a message with a loop', expression: 'false', more: { messageExpression: 'object.spec.l.map(a, a)[0]' } },
    { name: 'a look through a list for each item', expression: 'item in params.l', more: { forEach: 'object.spec.l' } },
  ])('is none with $name', ({ expression, more }) => {
    expect(isShort(expression, more)).toBe(false);
  });

  it('is none whose variables could double from one to the next, or whose conditions loop', () => {
    const variables = [{ name: 'a', expression: '[object.spec, object.spec]' }];
    expect(isShort('variables.a == []', {}, { variables })).toBe(false);
    const matchConditions = [{ name: 'any', expression: 'object.spec.list.exists(a, a > 0)' }];
    expect(isShort('true', {}, { matchConditions })).toBe(false);
  });

  it('is told by the params that hold', () => {
    const { spec } = aPolicy('rule', { validations: [{ expression: 'object.metadata.name.matches(params.pattern)' }] });
    expect(isShortRule(spec, { pattern: '^a*$' })).toBe(true);
    expect(isShortRule(spec, { pattern: '^(a*)*$' })).toBe(false);
  });
});
