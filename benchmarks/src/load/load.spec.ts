import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { runFullLoad } from './full-load.js';
import { AnsweredWrongly } from './load-result.js';
import { Latencies } from './latencies.js';
import { runOpenLoad } from './open-load.js';

describe('Latencies', () => {
  it('gives percentiles in milliseconds to three digits', () => {
    const latencies = new Latencies();
    for (let value = 1; value <= 1000; value += 1) latencies.add(value);
    const { count, p50, p95, p99, max } = latencies.summary();
    expect(count).toBe(1000);
    for (const [got, want] of [
      [p50, 500],
      [p95, 950],
      [p99, 990],
      [max, 1000],
    ] as const) {
      expect(Math.abs(got - want) / want).toBeLessThan(0.002);
    }
  });

  it.each([
    { reason: 'a clock that was set back', value: -5, want: 0.001 },
    { reason: 'an answer that never came', value: 1e12, want: 600_000 },
  ])('keeps a sample of $reason', ({ value, want }) => {
    const latencies = new Latencies();
    latencies.add(value);
    expect(latencies.summary().max / want).toBeCloseTo(1, 2);
  });

  it('knows nothing of no samples', () => {
    expect(new Latencies().summary()).toMatchObject({ count: 0, p99: NaN });
  });
});

describe('runOpenLoad', () => {
  it('sends as many as were meant to be sent, numbered in sequence', async () => {
    const sent: number[] = [];
    const result = await runOpenLoad({ rate: 500, seconds: 0.1, first: 7 }, async (index) => void sent.push(index));
    expect(sent).toEqual(Array.from({ length: 50 }, (_, index) => index + 7));
    expect(result.latency.count).toBe(50);
  });

  it('charges a stall to every request that fell into it', async () => {
    let release: () => void = () => undefined;
    const stalled = new Promise<void>((resolve) => (release = resolve));
    let stall: NodeJS.Timeout | undefined;
    const { latency, failures } = await runOpenLoad({ rate: 100, seconds: 0.2 }, () => {
      stall ??= setTimeout(release, 300);
      return stalled;
    });
    // Twenty requests meant for the first 200 ms, all answered at 300 ms: none may have waited less than 100 ms.
    expect([latency.count, failures]).toEqual([20, 0]);
    expect(latency.p50).toBeGreaterThan(150);
    expect(latency.max).toBeGreaterThanOrEqual(299);
  });

  it('counts failures apart from latencies and tells one of them', async () => {
    const send = (index: number): Promise<void> => (index % 2 ? Promise.reject(new Error('no')) : Promise.resolve());
    const result = await runOpenLoad({ rate: 1000, seconds: 0.01 }, send);
    expect(result).toMatchObject({ failures: 5, failure: 'no', latency: { count: 5 } });
  });

  it('tells failures by the status that was answered, or by what broke on the way', async () => {
    const errors = [
      new AnsweredWrongly(503, 'GET /a: 503'),
      new AnsweredWrongly(503, 'GET /b: 503'),
      Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      new TypeError('no'),
    ];
    const send = (index: number): Promise<void> => (errors[index] ? Promise.reject(errors[index]) : Promise.resolve());
    const { failuresByKind } = await runOpenLoad({ rate: 1000, seconds: 0.01 }, send);
    expect(failuresByKind).toEqual({ 503: 2, ECONNRESET: 1, TypeError: 1 });
  });
});

describe('runFullLoad', () => {
  let done = 0;
  // Each request takes 10 ms, on a machine however busy.
  beforeEach(() => {
    done = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => done * 10);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('keeps so many requests under way, until the time is over', async () => {
    let underWay = 0;
    let most = 0;
    const result = await runFullLoad({ concurrency: 4, seconds: 0.05 }, async () => {
      most = Math.max(most, (underWay += 1));
      await delay(1);
      underWay -= 1;
      done += 1;
    });
    expect(most).toBe(4);
    // The fifth answer ends the time; the others that are under way are waited for.
    expect(result.latency.count).toBe(8);
    expect(result.throughput).toBe(100);
  });

  it('goes on after a failure', async () => {
    const send = async (index: number): Promise<void> => {
      done += 1;
      if (index === 0) throw new Error('no');
    };
    const result = await runFullLoad({ concurrency: 1, seconds: 0.02 }, send);
    expect(result.failures).toBe(1);
    expect(result.latency.count).toBe(1);
  });
});
