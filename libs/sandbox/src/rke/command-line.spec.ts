import { describe, expect, it } from '@jest/globals';
import { camelCaseKeys } from './camel-case-keys.js';
import { parseCommandLine } from './command-line.js';

describe('parseCommandLine', () => {
  it.each([
    { args: ['up'], want: { name: 'up', config: 'cluster.yml', isUpdateOnly: false } },
    {
      args: ['up', '--config', '/x/cluster.yml', '--update-only'],
      want: { name: 'up', config: '/x/cluster.yml', isUpdateOnly: true },
    },
    {
      args: ['up', '--config=/x.yml', '--ignore-docker-version'],
      want: { name: 'up', config: '/x.yml', isUpdateOnly: false },
    },
    { args: ['remove', '--force'], want: { name: 'remove', config: 'cluster.yml', isForced: true } },
    {
      args: ['etcd', 'snapshot-save', '--name', 'a'],
      want: { name: 'snapshot-save', config: 'cluster.yml', snapshot: 'a' },
    },
    { args: ['config', '--list-version', '--all'], want: { name: 'list-version', isAll: true } },
    { args: ['--version'], want: { name: 'version' } },
    { args: [], want: { name: 'help' } },
  ])('reads $args', ({ args, want }) => {
    expect(parseCommandLine(args)).toEqual(want);
  });

  it.each([
    { args: ['up', '--nonsense'], want: 'flag provided but not defined: --nonsense' },
    { args: ['down'], want: "No help topic for 'down'" },
    { args: ['up', '--ssh-agent-auth'], want: 'the sandbox has no SSH agent' },
  ])('refuses $args', ({ args, want }) => {
    expect(() => parseCommandLine(args)).toThrow(want);
  });
});

describe('camelCaseKeys', () => {
  it('spells keys as the state file does, but leaves the keys that are the user’s words', () => {
    const config = {
      cluster_name: 'a',
      services: { 'kube-api': { extra_args: { 'audit-log': 'x' } } },
      nodes: [{ labels: { a_b: 'c' } }],
    };

    expect(camelCaseKeys(config)).toEqual({
      clusterName: 'a',
      services: { kubeApi: { extraArgs: { 'audit-log': 'x' } } },
      nodes: [{ labels: { a_b: 'c' } }],
    });
  });
});
