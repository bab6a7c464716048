import { describe, expect, it } from '@jest/globals';
import { fromCelValue, toCelValue } from '../cel-value.js';
import { compileExpression, type TypedVariable } from '../expression.js';

const ANY = toCelValue({ list: [1, 2, 3], map: { a: 1, b: 2 }, text: 'x', zero: 0, half: 0.5, nothing: [] });

function value(source: string): unknown {
  const compiled = compileExpression(source, ['any'], 'any');
  if (!compiled.ok) throw new Error(`${source}: ${compiled.mistake}`);
  return compiled.expression.evaluate({ any: ANY });
}

function mistake(source: string, variable: string | TypedVariable = 'any'): string | undefined {
  const compiled = compileExpression(source, [variable], 'any');
  return compiled.ok ? undefined : compiled.mistake;
}

/** Expressions that are true; the examples of cel-go's own pages come first. */
const TRUE: Readonly<Record<string, readonly string[]>> = {
  optionals: [
    'optional.of(42).optMap(y, y + 1).value() == 43',
    '!optional.none().optMap(y, y + 1).hasValue()',
    'any.?list.optMap(list, list.size()).orValue(0) == 3',
    'any.?absent.optMap(list, list.size()).orValue(7) == 7',
    'any.?map.optFlatMap(map, map.?a).value() == 1',
    '!any.?map.optFlatMap(map, map.?c).hasValue()',
    'any.list.all(x, optional.of(x).optMap(y, y * x).value() == x * x)',
    'optional.of(2).optMap(x, [1, 2, 3].filter(y, y > x).map(z, z + x)).value() == [5]',
    'optional.ofNonZeroValue(42).or(optional.of(20)).value() == 42',
    'optional.ofNonZeroValue(any.text).hasValue() && optional.ofNonZeroValue(0.0/0.0).hasValue()',
    ...['0', '0u', '0.0', '""', 'b""', 'false', 'null', '[]', '{}', 'duration("0s")', 'any.zero', 'any.nothing'].map(
      (zero) => `!optional.ofNonZeroValue(${zero}).hasValue()`,
    ),
    'optional.of(1) == optional.of(1) && optional.of(1) != optional.of(2) && optional.none() != optional.of(1)',
    'any.?list == optional.of([1, 2, 3]) && any.?absent == optional.none()',
    '[optional.none(), optional.of(1)].indexOf(optional.of(1)) == 1',
    '[1, 2].first().value() == 1 && [1, 2].last().value() == 2 && ![].first().hasValue()',
    'any.list.last().value() > 2',
  ],
  'comprehensions over two variables': [
    '[1, 2, 3].all(i, j, i < j)',
    '{"hello": "world", "taco": "taco"}.exists(k, v, k == v)',
    '{"h": ["hello", "hi"], "j": ["joke", "jog"]}.all(k, vals, vals.all(v, v.startsWith(k)))',
    '{"greeting": "hello", "farewell": "goodbye"}.exists(k, v, k.startsWith("good") || v.endsWith("bye"))',
    '![1, 2, 4, 8, 16].exists(i, v, v == 1024 && i == 10)',
    '![1, 2, 1, 3, 1, 4].existsOne(i, v, i == 1 || v == 1)',
    '[1, 1, 2, 2, 3, 3].existsOne(i, v, i == 2 && v == 2)',
    '{"i": 0, "j": 1, "k": 2}.exists_one(i, v, i == "l" || v == 1)',
    '[1, 2, 3].transformList(i, v, (i * v) + v) == [1, 4, 9]',
    '[1, 2, 3].transformList(i, v, i % 2 == 0, (i * v) + v) == [1, 9]',
    '{"greeting": "hello", "farewell": "goodbye"}.transformList(k, _, k) == ["greeting", "farewell"]',
    '[1, 2, 3].transformMap(i, v, (i * v) + v) == {0: 1, 1: 4, 2: 9}',
    '[1, 2, 3].transformMap(i, v, i % 2 == 0, (i * v) + v) == {0: 1, 2: 9}',
    '{"greeting": "hello"}.transformMap(k, v, v + "!") == {"greeting": "hello!"}',
    '{"greeting": "hello"}.transformMapEntry(k, v, {v: k}) == {"hello": "greeting"}',
    '["a", "b"].transformMapEntry(i, v, {v: i}) == {"a": 0, "b": 1}',
    '["a", "b"].transformMapEntry(i, v, i > 0, {v: i}) == {"b": 1}',
    '["a"].transformMapEntry(i, v, {"k": v}).transformMapEntry(k, v, {v: k}) == {"a": "k"}',
    'any.list.all(i, v, v == i + 1) && any.map.exists(k, v, k == "b" && v == 2)',
    'any.map.transformMap(k, v, v * 2).transformList(k, v, k + string(v)).isSorted()',
    'any.map.transformMap(k, v, v * 2)["b"] == 4 && "a" in any.map.transformMap(k, v, v)',
    'size(any.list.transformMap(i, v, v)) == 3 && any.list.transformMap(i, v, v)[2] == 3',
    '[[1, 2], [3]].transformList(i, inner, inner.transformList(j, v, v * 10 + i * j)) == [[10, 20], [30]]',
    'any.list.map(x, any.list.exists(i, y, i == 2 && y == x)) == [false, false, true]',
    '{6: "six", 7: "seven"}.all(k, v, k > 5)',
    '[0, 1, 2].exists(i, v, 4 / v == 4) && ![0, 1, 2].all(i, v, 4 / v == 4)',
    '[].all(i, v, v > 0) && [].transformList(i, v, v) == []',
  ],
  math: [
    'math.greatest(1) == 1 && math.greatest(1u, 2u) == 2u && math.greatest(-42.0, -21.5, -100.0) == -21.5',
    'math.greatest([-42.0, -21.5, -100.0]) == -21.5 && math.greatest(any.list) == 3',
    'math.least(1) == 1 && math.least(1u, 2u) == 1u && math.least([-42.0, -21.5, -100.0]) == -100.0',
    'math.least(8, 7, 6, 5, 4, 3, 2, 1) == 1 && math.greatest(any.half, any.zero, 1u) == 1u',
    'math.greatest(any.half, any.zero) + 0.5 == 1.0',
    'math.bitOr(1u, 2u) == 3u && math.bitOr(-2, -4) == -2',
    'math.bitAnd(3u, 2u) == 2u && math.bitAnd(3, 5) == 1 && math.bitAnd(-3, -5) == -7',
    'math.bitXor(3u, 5u) == 6u && math.bitXor(1, 3) == 2',
    'math.bitNot(1) == -2 && math.bitNot(-1) == 0 && math.bitNot(0u) == 18446744073709551615u',
    'math.bitShiftLeft(1, 2) == 4 && math.bitShiftLeft(-1, 2) == -4 && math.bitShiftLeft(1u, 200) == 0u',
    'math.bitShiftLeft(1, 63) == -9223372036854775808',
    'math.bitShiftRight(1024, 2) == 256 && math.bitShiftRight(1024u, 64) == 0u',
    'math.bitShiftRight(-1, 60) == 15',
    'math.ceil(1.2) == 2.0 && math.ceil(-1.2) == -1.0 && math.floor(1.2) == 1.0 && math.floor(-1.2) == -2.0',
    'math.round(1.2) == 1.0 && math.round(1.5) == 2.0 && math.round(-1.5) == -2.0 && math.trunc(-1.3) == -1.0',
    'math.abs(-1) == 1 && math.abs(-1.5) == 1.5 && math.abs(1u) == 1u && math.abs(any.half) + 0.5 == 1.0',
    'math.sign(-42) == -1 && math.sign(0) == 0 && math.sign(42u) == 1u && math.sign(-0.5) == -1.0',
    'math.isInf(1.0/0.0) && !math.isInf(1.2) && math.isNaN(0.0/0.0) && !math.isFinite(0.0/0.0) && math.isFinite(1.2)',
    'math.sqrt(81.0) == 9.0 && math.sqrt(4) == 2.0 && math.sqrt(9u) == 3.0 && math.isNaN(math.sqrt(-15))',
  ],
  base64: [
    'base64.encode(b"hello") == "aGVsbG8="',
    'base64.decode("aGVsbG8=") == b"hello" && base64.decode("aGVsbG8") == b"hello"',
    'string(base64.decode(base64.encode(b"Hello World!"))) == "Hello World!"',
  ],
};

describe('the extensions', () => {
  it.each(Object.entries(TRUE).flatMap(([library, sources]) => sources.map((source) => ({ library, source }))))(
    '$library: $source',
    ({ source }) => expect(value(source)).toBe(true),
  );

  it.each([
    ['any.text.optMap(x, x)', /optMap\(\) needs an optional/],
    ['any.?list.optFlatMap(x, any.zero)', /optFlatMap\(\) needs an optional/],
    ['any.text.all(i, v, true)', /all\(\) needs a list or a map/],
    ['any.list.exists(i, v, any.zero)', /exists\(\) needs a bool/],
    ['[0, 1].exists(i, v, 4 / v == 5)', /division by zero/],
    ['[2, 0].all(i, v, 4 / v == 2)', /division by zero/],
    ['[0].existsOne(i, v, 4 / v == 4)', /division by zero/],
    ['any.list.transformMapEntry(i, v, {"k": v})', /the key k is there twice/],
    ['any.list.transformMapEntry(i, v, any.zero)', /must give a map/],
    ['math.greatest(any.text)', /math.greatest\(\) takes numbers/],
    ['math.greatest(any.text, 1)', /math.greatest\(\) takes numbers/],
    ['math.least(any.nothing)', /math.least\(\) takes numbers/],
    ['math.abs(-9223372036854775808)', /too large/],
    ['math.bitShiftLeft(1, -1)', /no negative number of bits/],
    ['base64.decode("a b")', /is not base64/],
  ])('%s is refused when it is evaluated', (source, message) => {
    expect(() => value(source)).toThrow(message);
  });

  it.each([
    ['[1].optMap(x, x)', /^line 1, column 1: optMap\(\) needs an optional, but has a list<int>/],
    [
      'optional.of(1).optFlatMap(x, x + 1)',
      /optFlatMap\(\) needs an expression that gives an optional, but it gives a int/,
    ],
    ['optional.of(1).optMap(x, x + "a")', /int \+ string/],
    ['optional.of(1).optMap(x.y, 1)', /A variable must be a plain name/],
    ['"a".all(i, v, true)', /all\(\) needs a list or a map, but has a string/],
    ['[1].all(0, v, true)', /^line 1, column 9: A variable must be a plain name/],
    ['[1].all(i, v, i + v)', /all\(\) needs a bool, but has a int/],
    ['["a"].transformList(i, v, i + v)', /int \+ string/],
    ['[1].transformList(i, v, "x", v)', /transformList\(\) needs a bool, but has a string/],
    ['[1].transformMapEntry(i, v, v)', /transformMapEntry\(\) needs a map, but has a int/],
    ['math.ceil(1)', /no matching overload/],
    ['math.bitAnd(1, 1u)', /no matching overload/],
    ['math.round("1")', /no matching overload/],
  ])('%s is a mistake before', (source, message) => {
    expect(mistake(source)).toMatch(message);
  });
});

describe('comprehensions over members whose types are known', () => {
  const params: TypedVariable = {
    name: 'params',
    members: { zones: 'list<string>', network: { cidr: 'string' }, labels: 'map<string, int>' },
  };

  it.each([
    ['params.zones.transformList(i, zone, i)', 'list<int>'],
    ['params.zones.transformList(i, zone, params.network)', 'list<$params.network>'],
    ['params.labels.transformMap(key, label, key)', 'map<string, string>'],
    ['params.?zones.optMap(zones, zones.size())', 'optional<int>'],
    ['params.labels.exists(key, label, label > 3)', 'bool'],
  ])('%s is of type %s', (source, type) => {
    expect(compileExpression(source, [params], 'any')).toMatchObject({ ok: true, expression: { type } });
  });

  it.each([
    ['params.zones.all(i, zone, zone > 3)', /string > int/],
    ['params.labels.all(key, label, key.size() > label.size())', /size/],
    ['params.network.all(key, member, true)', /needs a list or a map/],
  ])('%s is a mistake', (source, message) => {
    expect(mistake(source, params)).toMatch(message);
  });

  it('give maps that are JSON', () => {
    expect(fromCelValue(value('any.list.transformMap(i, v, {"double": v * 2})'))).toEqual({
      0: { double: 2 },
      1: { double: 4 },
      2: { double: 6 },
    });
  });
});
