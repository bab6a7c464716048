import { describe, expect, it } from '@jest/globals';
import type { EngineRun } from './engine-run.repository.js';
import { bootingMachines } from './first-boot.js';

const MINUTE_MS = 60_000;
const config = { nodes: [{ address: '10.0.0.1' }, { address: '10.0.0.2' }] };

function run(minute: number, fields: Partial<EngineRun> = {}): EngineRun {
  const startedAt = new Date(minute * MINUTE_MS);
  return { kind: 'up', state: 'failed', configHash: 'new', startedAt, ...fields } as EngineRun;
}

describe('bootingMachines', () => {
  it.each([
    { name: 'all of a new cluster', members: [], runs: [run(9)], want: ['10.0.0.1', '10.0.0.2'] },
    { name: 'those that are no nodes yet', members: ['10.0.0.1'], runs: [run(9)], want: ['10.0.0.2'] },
    { name: 'none of an old cluster', members: ['10.0.0.1', '10.0.0.2'], runs: [run(9)], want: [] },
    { name: 'new ones minutes later', members: ['10.0.0.1'], runs: [run(9), run(8), run(2)], want: ['10.0.0.2'] },
    { name: 'none once Docker should have been there', members: [], runs: [run(10), run(9), run(2)], want: [] },
    {
      name: 'new ones of another configuration',
      members: ['10.0.0.1'],
      runs: [run(60), run(59, { configHash: 'old' }), run(2)],
      want: ['10.0.0.2'],
    },
    {
      name: 'none once Docker should have been there, though releases write the configuration otherwise',
      members: [],
      runs: [9, 7, 5, 3, 1].map((minute) =>
        run(minute, { generation: 2, configHash: minute % 4 === 1 ? 'new' : 'older' }),
      ),
      want: [],
    },
    {
      name: 'new ones of another spec, though it was tried for long before',
      members: ['10.0.0.1'],
      runs: [run(60, { generation: 3, configHash: 'newer' }), run(59, { generation: 2 }), run(2, { generation: 2 })],
      want: ['10.0.0.2'],
    },
    {
      name: 'new ones after a success',
      members: ['10.0.0.1'],
      runs: [run(60), run(59, { state: 'succeeded' }), run(2)],
      want: ['10.0.0.2'],
    },
  ])('are $name', ({ members, runs, want }) => {
    expect([...bootingMachines({ config, members, runs })]).toEqual(want);
  });
});
