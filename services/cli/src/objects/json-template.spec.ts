import { describe, expect, it } from '@jest/globals';
import { JsonTemplate } from './json-template.js';

const LIST = {
  items: [
    { metadata: { name: 'a' }, spec: { pools: [{ name: 'x' }, { name: 'y' }] }, status: { ready: true } },
    { metadata: { name: 'b' }, spec: { pools: [] } },
  ],
};

describe('a template of JSONPath', () => {
  it.each([
    ['{.items[*].metadata.name}', 'a b'],
    ['.items[0].metadata.name', 'a'],
    ['{.items[0].metadata.name} and {.items[1].metadata.name}', 'a and b'],
    ['{range .items[*]}{.metadata.name}{"\\t"}{.status.ready}{"\\n"}{end}', 'a\ttrue\nb\t\n'],
    ["{range .items[*]}{.metadata.name}{','}{end}", 'a,b,'],
    ['{range .items[*]}{.metadata.name}:{range .spec.pools[*]} {.name}{end};{end}', 'a: x y;b:;'],
    ['{.items[?(@.metadata.name=="b")].metadata.name}{"{}"}', 'b{}'],
    ['{.nothing}', ''],
  ])('%s gives "%s"', (template, want) => {
    expect(JsonTemplate.parse(template).render(LIST)).toBe(want);
  });

  it.each([
    ['{range .items[*]}{.metadata.name}', 'has no {end}'],
    ['{.metadata.name}{end}', 'has no {range …}'],
    ['{.metadata.name', 'do not understand "{.metadata.name"'],
    ['{.a[}', 'do not understand "["'],
  ])('says what is wrong with %s', (template, want) => {
    expect(() => JsonTemplate.parse(template)).toThrow(want);
  });
});
