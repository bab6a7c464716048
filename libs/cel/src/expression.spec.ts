import { describe, expect, it } from '@jest/globals';
import { toCelValue } from './cel-value.js';
import { compileExpression, type Expression, type ResultType } from './expression.js';

function compile(source: string, result: ResultType = 'bool'): Expression {
  const compiled = compileExpression(source, ['document', 'item'], result);
  if (!compiled.ok) throw new Error(compiled.mistake);
  return compiled.expression;
}

function evaluate(source: string, document: unknown, result: ResultType = 'bool'): unknown {
  return compile(source, result).evaluate({ document: toCelValue(document), item: undefined });
}

describe('compileExpression', () => {
  const mistakes: { name: string; source: string; result?: ResultType; want: RegExp }[] = [
    { name: 'half an expression', source: 'document.x ==', want: /^line 1, column 14: Unexpected token/ },
    {
      name: 'a mistyped variable',
      source: 'true &&\n  documnt.x',
      want: /^line 2, column 3: Unknown variable: documnt/,
    },
    { name: 'a mistyped function', source: 'document.x.startWith("a")', want: /^line 1, column \d+: .*startWith/ },
    { name: 'types that do not fit', source: '1 + "a" == 2', want: /int \+ string/ },
    { name: 'a number for a condition', source: '1 + 1', want: /must give a bool, but gives a int/ },
    { name: 'a condition for a list', source: 'true', result: 'list', want: /must give a list, but gives a bool/ },
    { name: 'a wrong number of arguments', source: 'document.all(x)', want: /.+/ },
    { name: 'far too long', source: `true ${'|| true '.repeat(600)}`, want: /at most 4000 characters/ },
    { name: 'far too deep', source: `${'('.repeat(100)}true${')'.repeat(100)}`, want: /depth/i },
  ];

  it.each(mistakes)('says what is wrong with $name', ({ source, result = 'bool', want }) => {
    expect(compileExpression(source, ['document'], result)).toEqual({
      ok: false,
      mistake: expect.stringMatching(want),
    });
  });
});

it('says which variable has a name that is taken', () => {
  const mistake = expect.stringContaining("'math' is already registered");
  expect(compileExpression('true', ['math'], 'bool')).toEqual({ ok: false, mistake });
});

describe('evaluation', () => {
  const rows: { name: string; source: string; document: unknown; want: boolean }[] = [
    { name: 'whole numbers are ints', source: 'document.n % 2 == 1', document: { n: 3 }, want: true },
    { name: 'others are doubles', source: 'document.n > 2.4', document: { n: 2.5 }, want: true },
    { name: 'null is absent', source: 'has(document.n)', document: { n: null }, want: false },
    { name: 'an absent member has a default', source: 'document.?a.?b.orValue(7) == 7', document: {}, want: true },
    { name: 'so has an absent index', source: 'document.?a[?0].orValue(7) == 7', document: { a: [] }, want: true },
    { name: 'inherited members are none', source: 'has(document.constructor)', document: {}, want: false },
    { name: 'nor is the prototype', source: '"__proto__" in document', document: {}, want: false },
    { name: 'cidrSize', source: 'cidrSize(document.c) == 256', document: { c: '10.0.0.0/24' }, want: true },
    {
      name: 'cidrContains',
      source: 'cidrContains("10.0.0.0/8", document.c)',
      document: { c: '10.1.0.0/16' },
      want: true,
    },
    {
      name: 'not the other way round',
      source: 'cidrContains(document.c, "10.0.0.0/8")',
      document: { c: '10.1.0.0/16' },
      want: false,
    },
    {
      name: 'nor across the edge',
      source: 'cidrContains("172.16.0.0/12", document.c)',
      document: { c: '172.32.0.0/16' },
      want: false,
    },
    { name: 'parseJSON', source: 'parseJSON(document.j).a == 1', document: { j: '{"a":1}' }, want: true },
    { name: 'asList', source: 'asList(document.s) == asList([document.s])', document: { s: 'x' }, want: true },
    { name: 'sum', source: 'sum(document.l) == 6', document: { l: [1, 2, 3] }, want: true },
    {
      name: 'bytes are ordered',
      source:
        'b"a" < b"b" && b"a" <= b"ab" && b"\\xff" > b"\\x01" && b"b" >= b"b" && b"b" <= b"b" && !(b"b" < b"b") && !(b"b" > b"b")',
      document: {},
      want: true,
    },
    {
      name: 'a time is seconds',
      source: 'int(timestamp("2009-02-13T23:31:30.9Z")) == 1234567890',
      document: {},
      want: true,
    },
    { name: 'a time is a time', source: 'timestamp(timestamp(0)) == timestamp(0)', document: {}, want: true },
    { name: 'a uint is an int', source: 'int(9223372036854775807u) == 9223372036854775807', document: {}, want: true },
    { name: 'sum of nothing', source: 'sum(document.l) == 0', document: { l: [] }, want: true },
  ];

  it.each(rows)('$name', ({ source, document, want }) => {
    expect(evaluate(source, document)).toBe(want);
  });

  it.each([
    { name: 'a missing key', source: 'document.absent == 1' },
    { name: 'a result of another type', source: 'document.n' },
    { name: 'a malformed block', source: 'cidrSize(document.n) == 1' },
    { name: 'a uint that no int can be', source: 'int(9223372036854775808u) > 0' },
  ])('throws on $name', ({ source }) => {
    expect(() => evaluate(source, { n: '1' })).toThrow();
  });
});
