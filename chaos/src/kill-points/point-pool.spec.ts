import { describe, expect, it } from '@jest/globals';
import { OPERATIONS, type KillPoint, type Operation } from './kill-point.js';
import { PointPool } from './point-pool.js';
import { AFTER, BEFORE, type Stage } from './stages.js';

const points = (operation: Operation, count: number): KillPoint[] =>
  Array.from({ length: count }, (_, index) => ({
    operation,
    step: { at: 'cloud', action: 'create', type: 'aws_vpc', nth: index + 1 },
    phase: 'before',
    victim: 'terraform',
  }));

describe('points that are still to be run', () => {
  it('are given out once each, most of them without anything in between, and every operation comes forward', () => {
    const counts = {
      create: 40,
      scale: 12,
      shrink: 10,
      resize: 10,
      change: 8,
      delete: 30,
      'install-away': 8,
      'delete-away': 10,
    };
    const pool = new PointPool(OPERATIONS.flatMap((operation) => points(operation, counts[operation])));
    const taken: KillPoint[] = [];
    let stage: Stage = 'absent';
    let detours = 0;
    for (let point = pool.take(stage); point; point = pool.take(stage)) {
      if (!BEFORE[point.operation].includes(stage)) detours += 1;
      stage = AFTER[point.operation];
      taken.push(point);
      if (taken.length === 60) expect(new Set(taken.map(({ operation }) => operation)).size).toBe(OPERATIONS.length);
    }
    expect(new Set(taken).size).toBe(128);
    expect(pool.size).toBe(0);
    expect(detours).toBeLessThan(15);
  });
});
