import { describe, expect, it } from '@jest/globals';
import type { PolicyStage } from '@crate/api';
import { aPolicy } from '../testing/a-policy.js';
import { readsOf } from './rule-reads.js';

const pathsOf = (expression: string, more: object = {}): readonly string[] =>
  readsOf(aPolicy('rule', { validations: [{ expression, ...more }] }).spec).paths;

describe('readsOf', () => {
  it.each([
    { expression: 'object.spec.nodes < 3', paths: ['object.spec'] },
    { expression: 'object.?spec.?nodes.orValue(1) < 3', paths: ['object.spec'] },
    { expression: 'object.metadata.?labels[?"a"].orValue("") in params.list', paths: ['object.metadata.labels'] },
    { expression: 'size(object.metadata.name) <= size(object.kind)', paths: ['object.kind', 'object.metadata.name'] },
    { expression: 'object.metadata.exists(name, name == "x")', paths: ['object.metadata'] },
    { expression: 'object.metadata["name"] == "x"', paths: ['object.metadata'] },
    { expression: 'size(object.metadata) == 1', paths: ['object.metadata'] },
    { expression: 'oldObject == null && params.a', paths: ['oldObject'] },
    { expression: 'request.operation == "CREATE" || object.spec.a', paths: ['object.spec', 'request.operation'] },
    { expression: '"a" in request.userInfo.groups', paths: ['request.userInfo'] },
    { expression: 'request == null || request.name == ""', paths: ['request'] },
  ])('tells what is looked at: $expression', ({ expression, paths }) => {
    expect(pathsOf(expression)).toEqual(paths);
  });

  it.each([
    { expression: 'object != null' },
    { expression: 'object["metadata"].name == "x"' },
    { expression: 'object.exists(name, name == "x")' },
    { expression: 'object.exists// of all\n(name, name == "x")' },
    { expression: 'object .metadata.name == "x"' },
    { expression: 'object\n.metadata.name == "x" && object.spec.a' },
    { expression: '[object].all(o, o.metadata.name == "x")' },
    { expression: 'item.metadata.name == "x"' },
  ])('counts it as any of it where that is in doubt: $expression', ({ expression }) => {
    expect(pathsOf(expression)).toEqual(['object']);
  });

  it('knows other names of parts where they are there', () => {
    const validations = [{ expression: 'object.spec.a', messageExpression: '"The kubelet evicts pods"' }];
    const at = (stage: PolicyStage): readonly string[] =>
      readsOf(aPolicy('rule', { validations, match: { stages: [stage] } }).spec).paths;
    expect(at('ClusterSpec')).toEqual(['object.spec']);
    expect(at('Manifest')).toEqual(['object']);
  });

  it('knows an item of a list from the document itself', () => {
    expect(pathsOf('item.name != ""', { forEach: 'object.spec.pools' })).toEqual(['object.spec']);
  });

  it('looks at messages, conditions and variables, too', () => {
    const { spec } = aPolicy('rule', {
      validations: [{ expression: 'variables.a', messageExpression: '"not " + object.metadata.name' }],
      variables: [{ name: 'a', expression: 'object.spec.a && request.name == ""' }],
      matchConditions: [{ name: 'old', expression: 'oldObject != null' }],
    });
    expect(readsOf(spec)).toEqual({
      paths: ['object.metadata.name', 'object.spec', 'oldObject', 'request.name'],
      user: false,
    });
  });
});
