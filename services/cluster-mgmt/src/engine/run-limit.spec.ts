import { describe, expect, it } from '@jest/globals';
import { MOST_MACHINES } from '@crate/api';
import { MOST_EXTRA_MS, runLimitMs } from './run-limit.js';

const BASE_MS = 45 * 60_000;
const MINUTE_MS = 60_000;

function limit(controlPlane: number, workers: number, drains?: boolean): number {
  const roles = [...Array<string>(controlPlane).fill('controlplane'), ...Array<string>(workers).fill('worker')];
  const config = { nodes: roles.map((role) => ({ role: [role] })) };
  return runLimitMs(BASE_MS, { config, ...(drains === undefined ? {} : { drains }) });
}

describe('the longest time of a run', () => {
  it.each([
    { controlPlane: 3, workers: 12, drains: true, extra: 15 * 7 },
    { controlPlane: 1, workers: 40, drains: true, extra: 11 * 7 },
    { controlPlane: 3, workers: 0, drains: true, extra: 3 * 7 },
    { controlPlane: 3, workers: 12, drains: false, extra: 0 },
    { controlPlane: 3, workers: 12, drains: undefined, extra: 0 },
  ])('is $extra minutes longer for $controlPlane and $workers, drained: $drains', (row) => {
    expect(limit(row.controlPlane, row.workers, row.drains)).toBe(BASE_MS + row.extra * MINUTE_MS);
  });

  it('is never longer than passes may be', () => {
    for (let workers = 0; workers <= MOST_MACHINES.rke - 7; workers += 1)
      expect(limit(7, workers, true) - BASE_MS).toBeLessThanOrEqual(MOST_EXTRA_MS);
  });
});
