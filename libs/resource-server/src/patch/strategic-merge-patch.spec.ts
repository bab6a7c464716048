import { describe, expect, it } from '@jest/globals';
import { builtInBody } from '../apply/built-in-kinds.js';
import { FieldSchema } from '../apply/field-schema.js';
import { mergePatch } from './merge-patch.js';
import { strategicMergePatch } from './strategic-merge-patch.js';

const POD = new FieldSchema(builtInBody('', 'Pod') ?? {});

function containers(...items: unknown[]) {
  return { spec: { containers: items } };
}

describe('strategicMergePatch', () => {
  const target = containers({ name: 'a', image: 'x:1', args: ['1'] }, { name: 'b', image: 'y:1' });

  it.each([
    {
      name: 'merges items by key',
      patch: containers({ name: 'b', image: 'y:2' }),
      want: containers({ name: 'a', image: 'x:1', args: ['1'] }, { name: 'b', image: 'y:2' }),
    },
    {
      name: 'appends items with a new key',
      patch: containers({ name: 'c', image: 'z' }),
      want: containers(...target.spec.containers, { name: 'c', image: 'z' }),
    },
    {
      name: 'replaces lists without a key',
      patch: containers({ name: 'a', args: ['2', '3'] }),
      want: containers({ name: 'a', image: 'x:1', args: ['2', '3'] }, { name: 'b', image: 'y:1' }),
    },
    {
      name: 'deletes an item',
      patch: containers({ $patch: 'delete', name: 'a' }),
      want: containers({ name: 'b', image: 'y:1' }),
    },
    {
      name: 'ignores the deletion of an item that is not there',
      patch: containers({ $patch: 'delete', name: 'z' }),
      want: target,
    },
    {
      name: 'replaces a list',
      patch: containers({ $patch: 'replace' }, { name: 'c' }),
      want: containers({ name: 'c' }),
    },
    {
      name: 'orders items',
      patch: { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
      want: containers({ name: 'b', image: 'y:1' }, { name: 'a', image: 'x:1', args: ['1'] }),
    },
    {
      name: 'removes a field by null',
      patch: containers({ name: 'a', args: null }),
      want: containers({ name: 'a', image: 'x:1' }, { name: 'b', image: 'y:1' }),
    },
    {
      name: 'replaces an object',
      patch: { spec: { $patch: 'replace', nodeName: 'n' } },
      want: { spec: { nodeName: 'n' } },
    },
    { name: 'empties an object', patch: { spec: { $patch: 'delete' } }, want: { spec: {} } },
    {
      name: 'retains only named keys',
      patch: { spec: { $retainKeys: ['nodeName'], nodeName: 'n' } },
      want: { spec: { nodeName: 'n' } },
    },
  ])('$name', ({ patch, want }) => {
    expect(strategicMergePatch(target, patch, POD)).toEqual(want);
  });

  it('merges sets, and deletes from them', () => {
    const schema = new FieldSchema({ properties: { finalizers: { 'x-kubernetes-list-type': 'set' } } });
    const finalizers = { finalizers: ['a', 'b'] };
    expect(strategicMergePatch(finalizers, { finalizers: ['b', 'c'] }, schema)).toEqual({
      finalizers: ['a', 'b', 'c'],
    });
    expect(strategicMergePatch(finalizers, { '$deleteFromPrimitiveList/finalizers': ['a'] }, schema)).toEqual({
      finalizers: ['b'],
    });
  });

  it('keeps items that the order does not name behind the item they followed', () => {
    const many = containers({ name: 'a' }, { name: 'mine' }, { name: 'b' });
    const patch = { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } };
    expect(strategicMergePatch(many, patch, POD)).toEqual(containers({ name: 'b' }, { name: 'a' }, { name: 'mine' }));
  });

  it.each([{ patch: [] }, { patch: containers({ image: 'no key' }) }])('refuses %j', ({ patch }) => {
    expect(() => strategicMergePatch(target, patch, POD)).toThrow(expect.objectContaining({ code: 'BadRequest' }));
  });
});

describe('mergePatch', () => {
  it.each([
    { target: { a: 'b' }, patch: { a: 'c' }, want: { a: 'c' } },
    { target: { a: 'b' }, patch: { b: 'c' }, want: { a: 'b', b: 'c' } },
    { target: { a: 'b' }, patch: { a: null }, want: {} },
    { target: { a: 'b', b: 'c' }, patch: { a: null }, want: { b: 'c' } },
    { target: { a: ['b'] }, patch: { a: 'c' }, want: { a: 'c' } },
    { target: { a: 'c' }, patch: { a: ['b'] }, want: { a: ['b'] } },
    { target: { a: { b: 'c' } }, patch: { a: { b: 'd', c: null } }, want: { a: { b: 'd' } } },
    { target: { a: [{ b: 'c' }] }, patch: { a: [1] }, want: { a: [1] } },
    { target: ['a', 'b'], patch: ['c', 'd'], want: ['c', 'd'] },
    { target: { a: 'b' }, patch: ['c'], want: ['c'] },
    { target: { a: 'foo' }, patch: null, want: null },
    { target: { e: null }, patch: { a: 1 }, want: { e: null, a: 1 } },
    { target: [1, 2], patch: { a: 'b', c: null }, want: { a: 'b' } },
    { target: {}, patch: { a: { bb: { ccc: null } } }, want: { a: { bb: {} } } },
  ])('merges $patch into $target (RFC 7386 appendix A)', ({ target, patch, want }) => {
    expect(mergePatch(target, patch)).toEqual(want);
  });
});
