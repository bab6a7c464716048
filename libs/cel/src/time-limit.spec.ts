import { describe, expect, it, jest } from '@jest/globals';
import { compileExpression } from './expression.js';
import { withinProcessorTime, withinTime } from './time-limit.js';

function condition(source: string): (document: unknown) => unknown {
  const compiled = compileExpression(source, ['document'], 'bool');
  if (!compiled.ok) throw new Error(compiled.mistake);
  return (document) => compiled.expression.evaluate({ document });
}

describe('withinTime', () => {
  it('gives what the work gives', () => {
    expect(withinTime(60_000, () => ({ answer: 42 }))).toEqual({ answer: 42 });
  });

  it('throws what the work throws', () => {
    const error = new Error('mine');
    expect(() =>
      withinTime(60_000, () => {
        throw error;
      }),
    ).toThrow(error);
  });

  it.each([
    {
      name: 'nested loops',
      source: 'document.all(a, document.all(b, document.all(c, a + b + c >= 0)))',
      document: Array.from({ length: 3000 }, (_, index) => BigInt(index)),
    },
    {
      name: 'nested loops over two variables, whose mistakes are put by',
      source: 'document.exists(i, a, document.exists(j, b, document.all(k, c, a / (b - b) == c)))',
      document: Array.from({ length: 3000 }, (_, index) => BigInt(index)),
    },
    {
      name: 'a regular expression that backtracks',
      source: 'document.matches("^(a+)+$")',
      document: `${'a'.repeat(60)}!`,
    },
  ])('stops $name, and works afterwards', ({ source, document }) => {
    const judge = condition(source);
    const start = performance.now();

    expect(() => withinTime(100, () => judge(document))).toThrow(expect.objectContaining({ code: 'Timeout' }));

    expect(performance.now() - start).toBeLessThan(60_000);
    expect(withinTime(60_000, () => 'fine')).toBe('fine');
  });
});

describe('withinProcessorTime', () => {
  /** Stands still, as on a machine that is busy with other things. */
  const waitFor = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

  it('does work again that had no processor', () => {
    let attempts = 0;
    const work = (): string => {
      attempts += 1;
      if (attempts === 1) waitFor(10_000);
      return 'fine';
    };
    let renewals = 0;
    expect(withinProcessorTime(2_000, work, () => (renewals += 1))).toBe('fine');
    expect([attempts, renewals]).toEqual([2, 1]);
  });

  it('stops work that had its time, and does not do it again', () => {
    let attempts = 0;
    const endless = (): void => {
      attempts += 1;
      for (;;);
    };
    // As where no other process wants the processor.
    const had = jest
      .spyOn(process, 'threadCpuUsage')
      .mockImplementation(() => ({ user: attempts * 100_000, system: 0 }));
    expect(() => withinProcessorTime(100, endless, () => undefined)).toThrow(
      expect.objectContaining({ code: 'Timeout' }),
    );
    had.mockRestore();
    expect(attempts).toBe(1);
  });

  it('gives up in the end', () => {
    let attempts = 0;
    const work = (): void => {
      attempts += 1;
      waitFor(10_000);
    };
    expect(() => withinProcessorTime(100, work, () => undefined)).toThrow(expect.objectContaining({ code: 'Timeout' }));
    expect(attempts).toBe(5);
  });

  it('gives work that has to wait each time more of the clock', () => {
    // Longer than one attempt has by the clock, shorter than the last one has.
    const work = (): string => {
      waitFor(300);
      return 'fine';
    };
    expect(withinProcessorTime(200, work, () => undefined)).toBe('fine');
  });
});
