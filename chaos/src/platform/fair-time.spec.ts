import { describe, expect, it } from '@jest/globals';
import { FairTime } from './fair-time.js';

describe('fair time', () => {
  it.each([
    { reason: 'nobody waited', waited: { 1: 0, 2: 0 }, want: 500 },
    { reason: 'one process waited for a processor most of the time', waited: { 1: 400, 2: 10 }, want: 100 },
    { reason: 'a thread was counted that began to wait before', waited: { 1: 900 }, want: 0 },
    { reason: 'the kernel does not tell', waited: {}, want: 500 },
  ])('passes as it should when $reason', ({ waited, want }) => {
    const told = new Map<number, number>();
    const time = new FairTime((pid) => told.get(pid));
    for (const pid of Object.keys(waited).map(Number)) told.set(pid, 7_000);
    const pids = [1, 2];
    const start = performance.now();
    time.since(pids, start);
    for (const [pid, ms] of Object.entries(waited)) told.set(Number(pid), 7_000 + ms);
    expect(time.since(pids, start + 500)).toBeCloseTo(want, 3);
  });

  it('takes a process that came meanwhile for one that has not waited yet', () => {
    const time = new FairTime(() => 60_000);
    const start = performance.now();
    time.since([1], start);
    expect(time.since([2], start + 500)).toBeCloseTo(500, 3);
  });

  it('knows this process', () => {
    const time = new FairTime();
    const start = performance.now();
    time.since([process.pid], start);
    expect(time.since([process.pid], start + 60_000)).toBeGreaterThan(1_000);
  });
});
