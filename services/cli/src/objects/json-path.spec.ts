import { describe, expect, it } from '@jest/globals';
import { JsonPath, textOfValue } from './json-path.js';

const CLUSTER = {
  metadata: { name: 'demo', annotations: { 'crate.dev/a.b': 'x' } },
  spec: {
    paused: false,
    nodePools: [
      { name: 'a', replicas: 2 },
      { name: 'b', replicas: 3 },
    ],
  },
  status: {
    conditions: [
      { type: 'Synced', status: 'True' },
      { type: 'Ready', status: 'False' },
    ],
  },
};

describe('a JSONPath', () => {
  it.each<[string, readonly unknown[]]>([
    ['{.metadata.name}', ['demo']],
    ['.metadata.name', ['demo']],
    ['$.metadata.name', ['demo']],
    ['{.spec.paused}', [false]],
    ['{.spec.nodePools[1].name}', ['b']],
    ['{.spec.nodePools[-1].replicas}', [3]],
    ['{.spec.nodePools[*].replicas}', [2, 3]],
    ['{.spec.nodePools[0:1].name}', ['a']],
    ['{.spec.nodePools[-1:].name}', ['b']],
    ['{.spec.nodePools[:].name}', ['a', 'b']],
    ['{.metadata[0:1]}', []],
    ['{.spec.nodePools[?(@.name=="a")].replicas}', [2]],
    ['{.spec.nodePools[?(@.replicas == 3)].name}', ['b']],
    ['{.status.conditions[?(@.type=="Ready")].status}', ['False']],
    ["{.metadata.annotations['crate.dev/a.b']}", ['x']],
    ['{..name}', ['demo', 'a', 'b']],
    ['{.spec..name}', ['a', 'b']],
    ['{..nodePools[1].name}', ['b']],
    ['{..conditions[?(@.type=="Ready")].status}', ['False']],
    ["{..['crate.dev/a.b']}", ['x']],
    ['{..nothing}', []],
    ['{.spec.nodePools[9].name}', []],
    ['{.nothing.there}', []],
    ['{.metadata.name.deeper}', []],
    ['{.spec.nodePools[?(@.taints)].name}', []],
  ])('%s gives %j', (path, want) => {
    expect(JsonPath.parse(path).values(CLUSTER)).toEqual(want);
  });

  it.each(['{.a[}', '{.a..}', '{..*}', '{.a b}', '{range .items}'])('refuses %s', (path) => {
    expect(() => JsonPath.parse(path)).toThrow(/is no JSONPath/);
  });

  it('reads text as it is, and the rest as JSON', () => {
    expect(['a', 1, true, { b: 1 }].map(textOfValue)).toEqual(['a', '1', 'true', '{"b":1}']);
  });
});
