import { describe, expect, it } from '@jest/globals';
import { duplicateKeys } from './document-check.js';
import { parseJson, parseYaml, YAML_LIMIT_BYTES } from './parse-text.js';

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const many = (count: number): string => JSON.stringify(Array.from({ length: count }, () => 0));
const manyKeys = (count: number): string => Array.from({ length: count }, (_, n) => `k${n}: v`).join('\n');
const TRIES = 2;

describe('a body that is not JSON', () => {
  it.each([
    '{"password":hunter2}',
    '{"password":\n"hunter2\n"}',
    'hunter2',
    `{"a":"${'x'.repeat(100)}" hunter2`,
    '{"a":',
  ])('is not told back: %s', (text) => {
    expect(() => parseJson(text)).toThrow(
      expect.objectContaining({ code: 'BadRequest', message: expect.not.stringMatching(/unter2|password/) }),
    );
  });
});

describe('a document', () => {
  const same = {
    metadata: { labels: { constructor: 'acme', toString: 'a', hasOwnProperty: 'b' } },
    list: [1, { a: '"{[' }],
  };

  it.each([
    { format: 'JSON', value: parseJson(JSON.stringify(same)) },
    {
      format: 'YAML',
      value: parseYaml(
        'metadata: {labels: {constructor: acme, toString: a, hasOwnProperty: b}}\nlist: [1, {a: "\\"{["}]',
      ),
    },
    { format: 'JSON as YAML', value: parseYaml(JSON.stringify(same)) },
  ])('in $format arrives as it was sent', ({ value }) => {
    expect(value).toEqual(same);
  });

  it.each([
    {
      name: 'a prototype',
      text: '{"metadata": {"__proto__": {"isAdmin": true}}}',
      want: /forbidden key __proto__ at metadata/,
    },
    {
      name: 'a constructor’s prototype',
      text: '{"constructor": {"prototype": {}}}',
      want: /forbidden key constructor/,
    },
    { name: 'a NUL', text: '{"a": [{"b": "x\\u0000"}]}', want: /NUL character .* at a.0.b/ },
    { name: 'half a surrogate pair', text: '{"a": "\\ud800"}', want: /half a surrogate pair at a/ },
    { name: 'a NUL in a key', text: '{"a": {"\\u0000": 1}}', want: /NUL character .* at a/ },
    { name: 'too many levels', text: nested(101), want: /nested deeper than 100 levels/ },
    { name: 'very many levels', text: '['.repeat(1_000_000), want: /not valid JSON/ },
    { name: 'too many values', text: many(200_000), want: /more than 200000 values/ },
    {
      name: 'a field twice',
      text: '{"spec": {"a": 1, "b": {"c": 1, "c": 2}, "a": 3}}',
      want: /duplicate field "spec.b.c", duplicate field "spec.a"/,
    },
    { name: 'a field twice, once escaped', text: '{"a": 1, "\\u0061": 2}', want: /duplicate field "a"/ },
  ])('in JSON with $name is refused', ({ text, want }) => {
    expect(() => parseJson(text)).toThrow(
      expect.objectContaining({ code: 'BadRequest', message: expect.stringMatching(want) }),
    );
  });

  it.each([
    { name: 'a prototype', text: 'a: {__proto__: {x: 1}}', want: /forbidden key __proto__ at a/ },
    { name: 'a field twice', text: 'a: 1\nb: {c: 1, c: 2}', want: /duplicate field "c"/ },
    {
      name: 'aliases that explode',
      text: 'a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c]\ne: [*d,*d,*d]',
      want: /too many aliases/,
    },
    { name: 'an alias of itself', text: 'a: &a [*a, *a]', want: /nested deeper|more than|aliases/ },
    { name: 'too many levels', text: '- '.repeat(50_000), want: /nested too deep/ },
    { name: 'bad syntax', text: 'a: 1\nb: [', want: /not valid YAML: .* at line 2, column \d+/ },
    { name: 'several documents', text: 'a: 1\n---\nb: 2', want: /one document a request/ },
  ])('in YAML with $name is refused', ({ text, want }) => {
    expect(() => parseYaml(text)).toThrow(
      expect.objectContaining({ code: 'BadRequest', message: expect.stringMatching(want) }),
    );
  });

  it.each([
    { name: 'JSON', parse: parseJson, text: '{"a": 1, "b": {"c": 1, "c": 2}}', want: 'duplicate field "b.c"' },
    { name: 'YAML', parse: parseYaml, text: 'a: 1\nb: {c: 1, c: 2}', want: 'duplicate field "c"' },
  ])('in $name with a field twice has the last value for whoever takes it', ({ parse, text, want }) => {
    const told: string[] = [];
    expect(parse(text, (fields) => told.push(...fields))).toEqual({ a: 1, b: { c: 2 } });
    expect(told).toEqual([want]);
  });

  it('in YAML may be so large, and as JSON larger', () => {
    const text = `a: ${'x'.repeat(YAML_LIMIT_BYTES)}`;
    expect(() => parseYaml(text)).toThrow(expect.objectContaining({ status: expect.objectContaining({ code: 413 }) }));
    expect(parseYaml(JSON.stringify({ a: 'x'.repeat(YAML_LIMIT_BYTES) }))).toBeDefined();
  });

  it.each([
    { name: 'many keys', text: manyKeys(15_000) },
    { name: 'many errors', text: '&a '.repeat(40_000) },
    { name: 'many errors of another kind', text: 'a: "\n'.repeat(50_000) },
  ])('in YAML with $name takes no more time than its size', ({ text }) => {
    const quarter = leastTimeOf(() => parseYaml(text.slice(0, text.length / 4)));
    // Four times the size takes four times the time; with the square of it, it would be sixteen times.
    expect(leastTimeOf(() => parseYaml(text))).toBeLessThan(quarter * 12);
  });

  it('in JSON with text full of quotes takes no more time than its size', () => {
    const quoted = (count: number): string => JSON.stringify({ a: ['"'.repeat(count)] });
    const quarter = leastTimeOf(() => parseJson(quoted(10_000)));
    expect(leastTimeOf(() => parseJson(quoted(40_000)))).toBeLessThan(Math.max(quarter, 5) * 12);
  });
});

describe('duplicateKeys', () => {
  it.each([
    { json: '{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', want: [] },
    { json: '{"a":"\\"a\\":1,","b":"{"}', want: [] },
    { json: '[{"a":1,"a":2}]', want: ['a'] },
    { json: '{"x":[{"k":1,"k":2,"k":3}]}', want: ['x.k', 'x.k'] },
  ])('$json: $want', ({ json, want }) => {
    expect(duplicateKeys(json)).toEqual(want);
  });
});

/** The best of a few tries, so that what else the process does in between (compiling, collecting garbage) does not count. */
function leastTimeOf(parse: () => void): number {
  return Math.min(...Array.from({ length: TRIES }, () => timeOf(parse)));
}

/** Milliseconds of a processor, whatever else it has to do. */
function timeOf(parse: () => void): number {
  const begun = process.cpuUsage();
  try {
    parse();
  } catch {
    // How long it takes counts, not what comes of it.
  }
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}
