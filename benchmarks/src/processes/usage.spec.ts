import { describe, expect, it } from '@jest/globals';
import { parseStat, usageOf } from './usage.js';

describe('parseStat', () => {
  it('reads a process whose name holds spaces and parentheses', () => {
    const stat = '42 (a (b) c) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 30 20 20 0 1 0 100 1000 9 1';
    expect(parseStat(42, stat, '9999 2560 512 1 0 1 0')).toEqual({
      pid: 42,
      parent: 7,
      cpuSeconds: 2.5,
      endedChildrenSeconds: 0.5,
      privateMiB: 8,
      sharedMiB: 2,
    });
  });
});

describe('usageOf', () => {
  it('tells what this process used, and nothing of one that is gone', async () => {
    const usage = await usageOf({ own: process.pid, gone: 2 ** 22 + 1 });
    expect(usage['own']?.cpuSeconds).toBeGreaterThan(0);
    expect(usage['own']?.rssMiB).toBeGreaterThan(10);
    expect(usage['gone']).toEqual({ cpuSeconds: 0, rssMiB: 0, endedChildrenSeconds: 0 });
  });
});
