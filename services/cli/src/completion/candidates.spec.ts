import { beforeEach, describe, expect, it } from '@jest/globals';
import { createProgram } from '../program.js';
import { candidatesFor, type Candidate, type Names } from './candidates.js';
import type { CommandLine } from './command-line.js';

let asked: string[];

const NAMES: Names = {
  kinds: async () => [{ value: 'clusters' }, { value: 'projects' }],
  objects: async ({ values }: CommandLine, type: string): Promise<readonly Candidate[]> => {
    asked.push(`${type}${values.has('namespace') ? ` in ${values.get('namespace')}` : ''}`);
    return [{ value: 'demo' }, { value: 'other' }];
  },
  contexts: async () => [{ value: 'crate' }, { value: 'prod' }],
};

beforeEach(() => {
  asked = [];
});

async function complete(line: string): Promise<readonly string[]> {
  const { all, files } = await candidatesFor(createProgram(), line.split(' '), NAMES);
  return [...all.map(({ value }) => value), ...(files ? ['FILES'] : [])];
}

describe('what can be written next', () => {
  it.each<[string, readonly string[]]>([
    ['ge', ['get']],
    ['clusters up', ['upgrade']],
    ['cluster up', ['upgrade']],
    ['policy waiver re', ['request', 'revoke']],
    ['completion ', ['bash', 'zsh', 'fish', 'help']],
    ['get p', ['projects']],
    ['get clusters d', ['demo']],
    ['get clusters demo ', ['other']],
    ['get cluster/o', ['cluster/other']],
    ['get cluster/demo ', []],
    ['get -n ', ['demo', 'other']],
    ['get --context pr', ['prod']],
    ['get -o js', ['json', 'jsonpath=']],
    ['get --output=js', ['--output=json', '--output=jsonpath=']],
    ['status -o j', ['json']],
    ['wait cl/demo --for con', ['condition=Ready']],
    ['apply -f ', ['FILES']],
    ...[
      ...['apply --filename ', 'get --kubeconfig ', 'up --data-dir ', 'up --in-cluster ', 'audit export -O '],
      ...['bootstrap aws --data ', 'bootstrap aws --values ', 'bootstrap sandbox --objects ', 'pivot --from-keys '],
      ...['login --ca-file ', 'policy test --junit ', 'remove --result '],
    ].map((line): [string, readonly string[]] => [line, ['FILES']]),
    ['apply --dry-run=', ['--dry-run=server']],
    ['clusters scale --replicas 3 d', ['demo']],
    ['clusters scale --wait d', ['demo']],
    ['clusters scale demo ', []],
    ['plan approve o', ['other']],
    ['nonsense here ', []],
  ])('crate %s', async (line, want) => {
    expect((await complete(line)).filter((value) => value !== 'help' || line === 'completion ')).toEqual(
      want.filter((value) => value !== 'help'),
    );
  });

  it('knows the options of the command and of the program, the short ones too', async () => {
    expect(await complete('get --no')).toEqual(expect.arrayContaining(['--no-headers', '--no-color']));
    expect(await complete('get -')).toEqual(expect.arrayContaining(['--namespace', '--help']));
  });

  it('looks where the words before say', async () => {
    await complete('get clusters -n team-a ');
    await complete('get nodepools --namespace=team-b ');
    expect(asked).toEqual(['clusters in team-a', 'nodepools in team-b']);
  });

  it('offers accounts where one is swept', async () => {
    expect(await complete('sweep -n team-a d')).toEqual(['demo']);
    expect(asked).toEqual(['cloudaccounts in team-a']);
  });

  it('hides what is not for people', async () => {
    const all = await complete('');
    expect(all).toEqual(expect.arrayContaining(['up', 'get', 'clusters', 'policy']));
    expect(all.filter((name) => name.startsWith('_') || name === 'credential')).toEqual([]);
  });
});
