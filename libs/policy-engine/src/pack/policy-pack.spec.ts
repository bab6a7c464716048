import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { parsePack, parsePolicySpec } from './policy-pack.js';

const SPEC = '{title: t, level: must, match: {stages: [Manifest]}, validations: [{expression: "true"}], remedy: r}';

function pack(spec: string, version = '1.0.0'): string {
  return `{pack: p, version: ${version}, description: d, policies: [{name: a, spec: ${spec}, examples: {pass: [{}], fail: [{}]}}]}`;
}

/** Ten texts, ten times over for each level. */
function bomb(levels: number): string {
  const lines = ['l0: &l0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level <= levels; level += 1) {
    lines.push(`l${level}: &l${level} [${Array.from({ length: 10 }, () => `*l${level - 1}`).join(', ')}]`);
  }
  return lines.join('\n');
}

describe('parsePack', () => {
  it('fills in what a rule leaves out', () => {
    const { policies, ...about } = parsePack('p.yaml', pack(SPEC));
    expect(about).toEqual({ pack: 'p', version: '1.0.0', description: 'd' });
    expect(policies).toMatchObject([{ pack: 'p', name: 'a', spec: { severity: 'medium', enforcement: 'enforce' } }]);
  });

  it('reads values as YAML 1.2 does', () => {
    const params = '{day: 2026-01-31, on: yes, port: 0o17, hex: 0x1F, size: 1e3, none: ~, merged: {<<: {a: 1}}}';
    const { policies } = parsePack('p.yaml', pack(SPEC.replace('remedy', `params: ${params}, remedy`)));
    expect(policies[0]?.spec.params).toEqual(parse(params));
  });

  it.each([
    { name: 'a key twice', text: 'pack: p\npack: q', want: /Policy pack p.yaml is no YAML: .*duplicated/ },
    { name: 'no YAML', text: 'a: [', want: /Policy pack p.yaml is no YAML/ },
    { name: 'aliases of aliases', text: bomb(9), want: /p.yaml is no YAML: it has more than 200000 values/ },
    { name: 'an alias in itself', text: 'pack: &a [*a]', want: /p.yaml is no YAML: it has more than 200000 values/ },
    { name: 'no version', text: pack(SPEC, 'new'), want: /p.yaml is malformed: version: must be a semantic version/ },
    { name: 'a rule', text: pack('{title: t}'), want: /Policy "a" of p.yaml is malformed: spec.level: .*spec.remedy/ },
  ])('says what is malformed: $name', ({ text, want }) => {
    expect(() => parsePack('p.yaml', text)).toThrow(want);
  });
});

it('parsePolicySpec names the field', () => {
  expect(() => parsePolicySpec({ level: 'always' }, 'Policy "x"')).toThrow(/Policy "x" is malformed: spec.title/);
});
