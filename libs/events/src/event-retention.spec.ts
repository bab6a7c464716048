import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Database } from '@crate/database';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { EventRetention } from './event-retention.js';

const MINUTE_MS = 60_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('looks for old events each minute, and counts all there are now and then', async () => {
  const asked: string[] = [];
  const rows = (text: string): Promise<readonly never[]> => {
    asked.push(text.includes('count(*)') ? 'count' : 'old');
    return Promise.resolve([]);
  };
  const retention = new EventRetention({
    ...{ database: { rows } as unknown as Database, store: new InMemoryResourceStore(), logger: new InMemoryLogger() },
    ...{ keepMs: 60 * MINUTE_MS, mostPerNamespace: 1000 },
  });
  retention.start();
  await jest.advanceTimersByTimeAsync(20 * MINUTE_MS);
  await retention.stop();
  expect(asked.filter((each) => each === 'old')).toHaveLength(20);
  expect(asked.filter((each) => each === 'count')).toHaveLength(2);
});
