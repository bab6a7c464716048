import { describe, expect, it } from '@jest/globals';
import { aRun, aWorld } from '../testing/a-world.js';
import { finds } from '../testing/finds.js';
import { judge } from './all.js';

const STATE = { owner: 'Infrastructure-1', lineage: 'one', substance: 'b', resources: [] };

describe('states and those who work on them', () => {
  finds('state serials increase', [
    {
      reason: 'a state that was set back',
      planted: { states: [...aWorld().states, { ...STATE, version: 3, serial: 4 }], cloud: [] },
      message: /serial 4 follows 4/,
    },
    {
      reason: 'a state that began anew',
      planted: { states: [...aWorld().states, { ...STATE, lineage: 'two', version: 3, serial: 9 }], cloud: [] },
      message: /lineage one became two/,
    },
  ]);

  finds('a cluster keeps its authority', [
    {
      reason: 'an engine that began anew, with another authority',
      planted: {
        engineStates: [
          ...aWorld().engineStates,
          { owner: 'KubernetesCluster-1', version: 3, authority: undefined },
          { owner: 'KubernetesCluster-1', version: 4, authority: 'A2' },
        ],
      },
      message: /A1 of KubernetesCluster-1 became A2 with version 4/,
    },
    {
      reason: 'a kubeconfig that trusts another authority',
      planted: { kubeconfigs: [{ owner: 'KubernetesCluster-1', version: 5, authority: 'A2' }] },
      message: /A1 of KubernetesCluster-1 became A2 with version 5/,
    },
  ]);

  finds('every stored version opens', [
    {
      reason: 'a version that does not open',
      planted: { unopened: ['cloud-mgmt: terraform-state of x, version 3'] },
      message: /version 3/,
    },
  ]);

  finds('never two holders of a lock', [
    {
      reason: 'two open runs of one Infrastructure',
      planted: { runs: ['run-1', 'run-2'].map((id) => aRun({ id, state: 'running', ended_at: null })) },
      message: /2 runs/,
    },
    {
      reason: 'a run that began before the one before it ended',
      planted: {
        runs: [aRun({ id: 'run-1', ended_at: new Date(9_000) }), aRun({ id: 'run-2', started_at: new Date(3_000) })],
      },
      message: /run run-2 began before run run-1 ended/,
    },
    {
      reason: 'two Terraforms at work for one Infrastructure',
      planted: { lockSightings: [{ owner: '1', workspaces: ['/w/1', '/w-2/1'], groups: [7, 8] }] },
      message: /7 and 8 worked for 1, in \/w\/1 and \/w-2\/1/,
    },
  ]);

  it('takes a state that Terraform wrote again for none that was set back', () => {
    const { states } = aWorld();
    expect(judge(aWorld({ states: [...states, { ...states[1]!, version: 3 }] }))).toEqual([]);
  });
});
