import { describe, expect, it } from '@jest/globals';
import { jsonPatch } from './json-patch.js';

const TOO_LARGE = expect.objectContaining({
  code: 'BadRequest',
  message: expect.stringMatching(/copy and move at most/),
});

function times(count: number, operation: (n: number) => object): readonly object[] {
  return Array.from({ length: count }, (_, n) => operation(n));
}

describe('jsonPatch', () => {
  const document = { spec: { a: { b: 1 }, list: [1, 2, 3] } };

  it.each([
    {
      name: 'copies, so that later operations leave the source alone',
      patch: [
        { op: 'copy', from: '/spec/a', path: '/spec/c' },
        { op: 'replace', path: '/spec/c/b', value: 2 },
      ],
      want: { spec: { a: { b: 1 }, list: [1, 2, 3], c: { b: 2 } } },
    },
    {
      name: 'copies to the end of a list',
      patch: [{ op: 'copy', from: '/spec/list/0', path: '/spec/list/-' }],
      want: { spec: { a: { b: 1 }, list: [1, 2, 3, 1] } },
    },
    {
      name: 'moves in a list',
      patch: [{ op: 'move', from: '/spec/list/0', path: '/spec/list/2' }],
      want: { spec: { a: { b: 1 }, list: [2, 3, 1] } },
    },
    {
      name: 'moves over what is there',
      patch: [{ op: 'move', from: '/spec/list', path: '/spec/a' }],
      want: { spec: { a: [1, 2, 3] } },
    },
    {
      name: 'moves to where it is',
      patch: [{ op: 'move', from: '/spec/a', path: '/spec/a' }],
      want: document,
    },
  ])('$name', ({ patch, want }) => {
    const before = structuredClone(document);
    expect(jsonPatch(document, patch)).toEqual(want);
    expect(document).toEqual(before);
  });

  it('leaves the patch as it is, for a write that is tried again', () => {
    const patch = [
      { op: 'add', path: '/spec/new', value: [] },
      { op: 'add', path: '/spec/new/-', value: 1 },
    ];
    expect(jsonPatch(document, patch)).toEqual(jsonPatch(document, patch));
  });

  it.each([
    { op: 'copy', from: '/spec/none', path: '/spec/c' },
    { op: 'move', from: '/spec/none', path: '/spec/none' },
    { op: 'move', from: '/spec/a', path: '/spec/a/b' },
    { op: 'move', from: '', path: '/spec/a' },
    { op: 'copy', path: '/spec/c' },
  ])('refuses %j', (operation) => {
    const message = expect.stringMatching(/could not be applied: .+ at operation 1$/);
    expect(() => jsonPatch(document, [{ op: 'test', path: '/spec/a/b', value: 1 }, operation])).toThrow(
      expect.objectContaining({ code: 'InvalidSpec', message }),
    );
  });

  it.each([
    { name: 'copies that double', patch: times(40, (n) => ({ op: 'copy', from: '/spec', path: `/spec/x${n}` })) },
    {
      name: 'a large value that goes to and fro',
      patch: times(9_998, (n) => {
        const [from, path] = n % 2 === 0 ? ['/spec/large', '/large'] : ['/large', '/spec/large'];
        return { op: 'move', from, path };
      }),
    },
  ])('refuses $name', ({ patch }) => {
    const large = { spec: { large: 'x'.repeat(100_000) } };
    expect(() => jsonPatch(large, patch)).toThrow(TOO_LARGE);
  });

  it('takes no time for what stays where it is, nor for small parts of a large document', () => {
    const large = { spec: { small: 1, many: times(100_000, () => ({})) } };
    const stay = times(5_000, () => ({ op: 'move', from: '/spec/many', path: '/spec/many' }));
    const small = times(4_999, () => ({ op: 'copy', from: '/spec/small', path: '/spec/copy' }));
    expect(jsonPatch(large, [...stay, ...small])).toMatchObject({ spec: { small: 1, copy: 1 } });
  });

  it('refuses what would be nested too deep', () => {
    const wrap = [
      { op: 'move', from: '/spec', path: '/below' },
      { op: 'add', path: '/spec', value: {} },
      { op: 'move', from: '/below', path: '/spec/below' },
    ];
    expect(() => jsonPatch(document, Array.from({ length: 100 }, () => wrap).flat())).toThrow(
      expect.objectContaining({ code: 'BadRequest', message: expect.stringMatching(/nested deeper/) }),
    );
  });
});
