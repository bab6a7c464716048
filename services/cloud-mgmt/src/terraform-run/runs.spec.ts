import { describe, expect, it } from '@jest/globals';
import { delayAfterRunsMs, retryDelayMs } from './retry-delay.js';
import { failuresInARow, type TerraformRun, type TerraformRunState } from './terraform-run.repository.js';

describe('retryDelayMs', () => {
  it.each([
    [0, 2_000],
    [1, 2_000],
    [2, 4_000],
    [4, 16_000],
    [5, 30_000],
    [500, 30_000],
  ])('after %i failures is at most %i ms, and not much less', (failures, longest) => {
    expect(retryDelayMs(failures, () => 1)).toBe(longest);
    expect(retryDelayMs(failures, () => 0)).toBe(longest * 0.75);
  });
});

describe('delayAfterRunsMs', () => {
  const run = (state: TerraformRunState, epoch: bigint): TerraformRun => ({ state, epoch }) as TerraformRun;

  it.each([
    { name: 'of its own that failed', runs: [run('failed', 3n), run('succeeded', 2n)], want: 2_000 },
    { name: 'of its own that failed again', runs: [run('failed', 3n), run('failed', 2n)], want: 4_000 },
    { name: 'of others alone, which failed', runs: [run('failed', 2n)], want: undefined },
    { name: 'of others alone, which succeeded', runs: [run('succeeded', 2n)], want: undefined },
    { name: 'at all', runs: [], want: undefined },
  ])('of a pass with no run but such $name is $want', ({ runs, want }) => {
    expect(delayAfterRunsMs(runs, 3n, () => 1)).toBe(want);
  });
});

describe('failuresInARow', () => {
  it.each([
    { states: [], want: 0 },
    { states: ['failed', 'failed', 'succeeded', 'failed'], want: 2 },
    { states: ['succeeded', 'failed'], want: 0 },
    { states: ['running', 'failed'], want: 1 },
    { states: ['failed', 'failed'], want: 2 },
  ])('of $states is $want', ({ states, want }) => {
    expect(failuresInARow(states.map((state) => ({ state: state as TerraformRunState }) as TerraformRun))).toBe(want);
  });
});
