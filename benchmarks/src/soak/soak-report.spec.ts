import { describe, expect, it } from '@jest/globals';
import { soakReport, type Round } from './soak-report.js';

function rounds(change: (index: number) => Partial<Round>): Round[] {
  return Array.from({ length: 60 }, (_, index) => ({
    requests: (index + 1) * 1_500,
    heapMiB: 100 + (index % 3),
    rssMiB: 300,
    resources: 40,
    failures: 0,
    failuresByKind: {},
    endedWatches: 0,
    events: 10,
    ...change(index),
  }));
}

describe('soakReport', () => {
  it.each([
    { reason: 'memory stays as it is', change: () => ({}), want: true },
    {
      reason: 'caches fill during the warm-up',
      change: (index: number) => ({ heapMiB: Math.min(120, 80 + index * 4) }),
      want: true,
    },
    {
      reason: 'each request leaves a kibibyte',
      change: (index: number) => ({ heapMiB: 100 + index * 1.5 }),
      want: false,
    },
    { reason: 'a request failed', change: (index: number) => ({ failures: index === 30 ? 1 : 0 }), want: false },
    {
      reason: 'a watch ended by itself',
      change: (index: number) => ({ endedWatches: index === 3 ? 1 : 0 }),
      want: false,
    },
  ])('$reason: passes $want', ({ change, want }) => {
    expect(soakReport(rounds(change), 10, 50).pass).toBe(want);
  });

  it('tells failures by what went wrong, those of the warm-up too, and bounds each', () => {
    const failed = (failuresByKind: Record<string, number>): Partial<Round> => ({ failures: 3, failuresByKind });
    const { figures, pass } = soakReport(
      rounds((index) => (index < 2 ? failed({ '503': 2, ECONNRESET: 1 }) : {})),
      10,
      50,
    );
    expect(pass).toBe(false);
    expect(figures['failures.503']).toEqual({ value: 4, unit: 'requests', target: 0 });
    expect(figures['failures.ECONNRESET']?.value).toBe(2);
    expect(figures['failures']?.value).toBe(6);
    expect(figures['failureRate']).toEqual({ value: 0.000067, unit: 'ratio', target: 0 });
    expect(
      Object.keys(
        soakReport(
          rounds(() => ({})),
          10,
          50,
        ).figures,
      ).filter((name) => name.includes('.')),
    ).toEqual([]);
  });

  it('tells where memory was after the warm-up and where it ended', () => {
    const { figures } = soakReport(
      rounds((index) => ({ heapMiB: index, resources: index })),
      10,
      50,
    );
    expect(figures['heap']).toEqual({ value: 59, unit: 'MiB', baseline: 18 });
    expect(figures['openResources']).toMatchObject({ value: 59, baseline: 18 });
    expect(figures['watches']?.value).toBe(3_000);
  });
});
