import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FieldSet } from './field-set.js';
import { fromFieldsV1, toFieldsV1 } from './fields-v1.js';
import { describePath } from './path-element.js';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:1');
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const set = fc.array(path, { maxLength: 8 }).map((paths) => FieldSet.of(...paths));

function members(fields: FieldSet): string[] {
  return [...fields.paths()].map((steps) => steps.join(' ')).sort();
}

describe('FieldSet', () => {
  it('has the algebra of sets of paths', () => {
    fc.assert(
      fc.property(set, set, (left, right) => {
        const [inLeft, inRight] = [members(left), members(right)];
        expect(members(left.union(right))).toEqual([...new Set([...inLeft, ...inRight])].sort());
        expect(members(left.intersection(right))).toEqual(inLeft.filter((item) => inRight.includes(item)));
        expect(members(left.difference(right))).toEqual(inLeft.filter((item) => !inRight.includes(item)));
        expect(left.equals(right)).toBe(JSON.stringify(inLeft) === JSON.stringify(inRight));
      }),
    );
  });

  it('survives its wire form', () => {
    fc.assert(
      fc.property(set, (fields) => {
        const wire = JSON.parse(JSON.stringify(toFieldsV1(fields))) as unknown;
        expect(members(fromFieldsV1(wire) ?? FieldSet.EMPTY)).toEqual(members(fields));
      }),
    );
  });

  it('makes the fields on the way to a member members, but not list items', () => {
    const fields = FieldSet.of(['f:spec', 'f:pools', 'k:{"name":"x"}', 'f:size']).withParentFields();
    expect(members(fields)).toEqual(['f:spec', 'f:spec f:pools', 'f:spec f:pools k:{"name":"x"} f:size']);
  });
});

describe('FieldsV1', () => {
  it('reads what Kubernetes writes', () => {
    const fields = fromFieldsV1({
      'f:spec': {
        'f:containers': { 'k:{"protocol":"TCP","containerPort":80}': { '.': {}, 'f:image': {} } },
        'f:replicas': {},
      },
    });
    expect([...(fields?.paths() ?? [])].map(describePath)).toEqual([
      '.spec.containers[containerPort=80,protocol="TCP"]',
      '.spec.containers[containerPort=80,protocol="TCP"].image',
      '.spec.replicas',
    ]);
  });

  it.each([
    { name: 'no object', wire: 'text' },
    { name: 'an unknown kind of step', wire: { 'x:a': {} } },
    { name: 'keys that are not JSON', wire: { 'k:{name}': {} } },
    { name: 'a value that is not JSON', wire: { 'v:x': {} } },
    { name: 'an index that is not a number', wire: { 'i:x': {} } },
    { name: 'a bad step further down', wire: { 'f:a': { bad: {} } } },
  ])('refuses $name', ({ wire }) => {
    expect(fromFieldsV1(wire)).toBeUndefined();
  });
});
