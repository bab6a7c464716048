import { describe, expect, it } from '@jest/globals';
import type { PolicyStage } from '@crate/api';
import { aPolicy } from '../testing/a-policy.js';
import { readsOf } from './rule-reads.js';

const partsOf = (expression: string, more: object = {}): readonly string[] | undefined =>
  readsOf(aPolicy('rule', { validations: [{ expression, ...more }] }).spec).parts;

describe('readsOf', () => {
  it.each([
    { expression: 'object.spec.nodes < 3', parts: ['spec'] },
    { expression: 'object.?spec.?nodes.orValue(1) < 3', parts: ['spec'] },
    { expression: 'object.metadata.?labels[?"a"].orValue("") in params.list', parts: ['metadata.labels'] },
    { expression: 'size(object.metadata.name) <= size(object.kind)', parts: ['kind', 'metadata.name'] },
    { expression: 'object.metadata.exists(name, name == "x")', parts: ['metadata'] },
    { expression: 'object.metadata["name"] == "x"', parts: ['metadata'] },
    { expression: 'size(object.metadata) == 1', parts: ['metadata'] },
    { expression: 'oldObject == null && params.a', parts: [] },
  ])('tells what parts of the document are looked at: $expression', ({ expression, parts }) => {
    expect(partsOf(expression)).toEqual(parts);
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
    expect(partsOf(expression)).toBeUndefined();
  });

  it('knows other names of parts where they are there', () => {
    const validations = [{ expression: 'object.spec.a', messageExpression: '"The kubelet evicts pods"' }];
    const at = (stage: PolicyStage): readonly string[] | undefined =>
      readsOf(aPolicy('rule', { validations, match: { stages: [stage] } }).spec).parts;
    expect(at('ClusterSpec')).toEqual(['spec']);
    expect(at('Manifest')).toBeUndefined();
  });

  it('knows an item of a list from the document itself', () => {
    expect(partsOf('item.name != ""', { forEach: 'object.spec.pools' })).toEqual(['spec']);
  });

  it('looks at messages, conditions and variables, too', () => {
    const { spec } = aPolicy('rule', {
      validations: [{ expression: 'variables.a', messageExpression: '"not " + object.metadata.name' }],
      variables: [{ name: 'a', expression: 'object.spec.a && request.name == ""' }],
      matchConditions: [{ name: 'old', expression: 'oldObject != null' }],
    });
    expect(readsOf(spec)).toEqual({ oldObject: true, request: true, user: false, parts: ['metadata.name', 'spec'] });
  });
});
