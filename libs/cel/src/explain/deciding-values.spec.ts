import { describe, expect, it } from '@jest/globals';
import { fromCelValue, toCelValue } from '../cel-value.js';
import { decidingValues, type DecidingValue } from './deciding-values.js';

const OBJECT = {
  spec: {
    replicas: 1,
    region: 'eu-west-1',
    labels: { team: 'a' },
    containers: [
      { name: 'app', image: 'registry/app:1', ports: [{ hostPort: 80 }] },
      { name: 'side', image: 'docker.io/side' },
    ],
    only: [{ size: 3 }],
  },
};

function told(source: string): readonly string[] {
  const bindings = { object: toCelValue(OBJECT), params: toCelValue({ least: 3, allowed: ['us-east-1'] }) };
  const containers = JSON.stringify(OBJECT.spec.containers);
  return decidingValues(source, bindings).map((part) => lineOf(part).replace(containers, 'CONTAINERS'));
}

function lineOf(part: DecidingValue): string {
  if (part.kind === 'mistake') return `${part.source} ! ${part.mistake}`;
  return `${part.source} = ${part.kind === 'absent' ? 'absent' : JSON.stringify(fromCelValue(part.value))}`;
}

describe('decidingValues', () => {
  it.each([
    {
      source: 'object.spec.replicas >= params.least',
      want: ['object.spec.replicas = 1', 'params.least = 3'],
      reason: 'both sides of a comparison are told, literals are not',
    },
    {
      source: 'object.spec.replicas >= 3 && object.spec.region == "eu-west-1"',
      want: ['object.spec.replicas = 1'],
      reason: 'a side that holds does not make an "and" false',
    },
    {
      source: '(object.spec.replicas > 3 || object.spec.region in params.allowed)',
      want: ['object.spec.replicas = 1', 'object.spec.region = "eu-west-1"', 'params.allowed = ["us-east-1"]'],
      reason: 'all sides make an "or" false',
    },
    {
      source: '!(object.spec.replicas == 1 || object.spec.region == "x")',
      want: ['object.spec.replicas = 1'],
      reason: 'the side that holds makes the negated "or" false',
    },
    {
      source: 'object.spec.replicas > 2 ? object.spec.region == "x" : has(object.spec.labels.owner)',
      want: ['object.spec.replicas = 1', 'has(object.spec.labels.owner) = false'],
      reason: 'the branch that was not taken decided nothing',
    },
    {
      source: 'object.spec.containers.all(c, c.image.startsWith("registry/"))',
      want: ['object.spec.containers[1].image = "docker.io/side"'],
      reason: 'of "all" the first item that fails, by its place',
    },
    {
      source: '!object.spec.containers.exists(c, c.?ports.orValue([]).exists(p, p.hostPort == 80))',
      want: ['object.spec.containers[0].?ports.orValue([])[0].hostPort = 80'],
      reason: 'of "exists" the first item that holds; nested',
    },
    {
      source: 'object.spec.only.exists(o, o.size > 5)',
      want: ['object.spec.only[0].size = 3'],
      reason: 'the one item of a list decides whatever it is asked',
    },
    {
      source: 'object.spec.containers.exists(c, c.name == "none")',
      want: ['object.spec.containers = CONTAINERS'],
      reason: 'no item decided alone',
    },
    {
      source: 'object.spec.labels.all(key, key == "owner")',
      want: ['key = "team"'],
      reason: 'keys of a map have no place',
    },
    {
      source: 'object.spec.containers.all(i, c, i < 1 || c.image.startsWith("registry/"))',
      want: ['i = 1', 'object.spec.containers[1].image = "docker.io/side"'],
      reason: 'over two variables the first pair that fails',
    },
    {
      source: '!object.spec.labels.exists(key, label, key == "team" && label == "a")',
      want: ['key = "team"', 'object.spec.labels["team"] = "a"'],
      reason: 'a value of a map has a place',
    },
    {
      source: 'object.spec.only.transformList(i, o, o.size + i).exists(size, size > 5)',
      want: ['object.spec.only.transformList(i, o, o.size + i)[0] = 3'],
      reason: 'what was made of a list has places, too',
    },
    {
      source: 'size(object.spec.containers) * 2 > 10',
      want: [
        'size(object.spec.containers) * 2 = 4',
        'size(object.spec.containers) = 2',
        'object.spec.containers = CONTAINERS',
      ],
      reason: 'what is computed is told with what it is made of',
    },
    {
      source: 'object.spec.?paused.orValue(false)',
      want: ['object.spec.?paused = absent'],
      reason: 'a default hides that there was nothing',
    },
    {
      source: 'cel.bind(all, object.spec.containers, all.exists(c, c.name == "app" && c.image == "x"))',
      want: ['object.spec.containers = CONTAINERS'],
      reason: 'a bound value is told as what it is bound to',
    },
    {
      source: '["team", "owner"].exists(key, object.spec.labels[?key].orValue("") == "b")',
      want: ['object.spec.labels[?"team"] = "a"', 'object.spec.labels[?"owner"] = absent'],
      reason: 'keys that are written out stand for themselves',
    },
    {
      source: '["team", "owner"].all(key, object.spec.?labels[?key].orValue("") != "")',
      want: ['object.spec.?labels[?"owner"] = absent'],
      reason: 'what stands in the brackets of a path',
    },
    {
      source: 'params.allowed.exists(key, object.spec.labels[?key].hasValue())',
      want: ['object.spec.labels[?key] = absent', 'params.allowed[0] = "us-east-1"'],
      reason: 'what stands in the brackets of a path is told',
    },
    { source: 'object.spec.absent > 1', want: ['object.spec.absent ! No such key: absent'], reason: 'what is missing' },
    { source: 'object.spec.region.matches("^us")', want: ['object.spec.region = "eu-west-1"'], reason: 'a receiver' },
    {
      source: 'math.least(object.spec.replicas, 4) > 2',
      want: ['math.least(object.spec.replicas, 4) = 1', 'object.spec.replicas = 1'],
      reason: 'a namespace',
    },
    { source: 'sets.contains(params.allowed, [")("])', want: ['params.allowed = ["us-east-1"]'], reason: 'brackets' },
    { source: '1 ==', want: [], reason: 'what does not compile is explained by whoever compiles it' },
  ])('$reason: $source', ({ source, want }) => {
    const lines = told(source);
    expect(lines).toEqual(want);
  });

  it('names 40 values at most', () => {
    const many = Array.from({ length: 60 }, (_, index) => `object.spec.x${index} == 1`).join(' || ');
    expect(told(many).length).toBe(40);
  });
});
