import { describe, expect, it } from '@jest/globals';
import { consoleReport, type Beside, type Load, type Scroll } from './console-report.js';

function opened(...rowMs: readonly number[]): readonly Beside<Load>[] {
  return rowMs.map((each) => ({ console: { rowMs: each, kB: 226 }, bare: { rowMs: 500, kB: 0 } }));
}

/** A hundred frames, of which `slow` took 60 ms. */
function scrolled(slow: number, cpuMs = 4.9): readonly Beside<Scroll>[] {
  const gaps = Array.from({ length: 100 }, (_, index) => (index < slow ? 60 : 17));
  return [{ console: { gaps, cpuMs }, bare: { gaps: Array.from({ length: 100 }, () => 17), cpuMs: 4 } }];
}

describe('what is told of the console', () => {
  it('is a pass when all that was promised of it is kept', () => {
    const { figures, pass } = consoleReport(opened(1_400, 1_500, 9_000), scrolled(1));

    expect(figures['firstLoad']).toEqual({ value: 226, unit: 'kB', target: 300 });
    expect(figures['interactive']).toEqual({ value: 1_500, unit: 'ms', baseline: 500, target: 1_500 });
    expect(figures['frame.p99']).toEqual({ value: 17, unit: 'ms', baseline: 17, target: 50 });
    expect(figures['frame.cpuOverBare']).toEqual({ value: 1.225, unit: 'ratio', target: 1.5 });
    expect(figures['frame.long']).toEqual({ value: 1, unit: 'frames', baseline: 0 });
    expect(pass).toBe(true);
  });

  it.each([
    { why: 'clusters are seen late', report: consoleReport(opened(3_400), scrolled(0)) },
    { why: 'frames in a hundred hang', report: consoleReport(opened(900), scrolled(2)) },
    { why: 'a frame is more work than that of plain rows', report: consoleReport(opened(900), scrolled(0, 6.1)) },
    {
      why: 'too much is transferred',
      report: consoleReport([{ console: { rowMs: 900, kB: 301 }, bare: { rowMs: 500, kB: 0 } }], scrolled(0)),
    },
  ])('is none when $why', ({ report }) => expect(report.pass).toBe(false));
});
