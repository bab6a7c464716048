import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { unavailable } from '@crate/errors';
import { InMemoryLogger } from '@crate/telemetry';
import { keepHistory } from './change-history.js';

const CONFIG = { changes: 1000, maxAgeMs: 5000, checkMs: 60_000 };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('keepHistory', () => {
  it('forgets changes by age again and again, until it is stopped', () => {
    const expire = jest.fn((_maxAgeMs: number) => Promise.resolve());
    const stop = keepHistory({ expire }, CONFIG, new InMemoryLogger());
    jest.advanceTimersByTime(180_000);
    expect(expire.mock.calls).toEqual([[5000], [5000], [5000]]);

    stop();
    jest.advanceTimersByTime(180_000);
    expect(expire).toHaveBeenCalledTimes(3);
  });

  it('tries again after a failure, and says so', async () => {
    const logger = new InMemoryLogger();
    const expire = jest.fn((_maxAgeMs: number) => Promise.reject(unavailable('No database')));
    const stop = keepHistory({ expire }, CONFIG, logger);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(expire).toHaveBeenCalledTimes(2);
    expect(logger.at('warn')).toHaveLength(2);
    stop();
  });
});
