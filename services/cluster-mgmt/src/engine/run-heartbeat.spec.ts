import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { conflict, PlatformError, unavailable } from '@crate/errors';
import { InMemoryLogger } from '@crate/telemetry';
import { HEARTBEAT_MS, RunHeartbeat } from './run-heartbeat.js';

let logger: InMemoryLogger;
let beat: jest.Mock<(id: string) => Promise<void>>;
let heartbeat: RunHeartbeat;
beforeEach(() => {
  jest.useFakeTimers();
  logger = new InMemoryLogger();
  beat = jest.fn(() => Promise.resolve());
  heartbeat = new RunHeartbeat({ heartbeat: beat }, 'r1', logger);
});
afterEach(() => {
  heartbeat.stop();
  jest.useRealTimers();
});

const goOn = (beats: number): Promise<void> => jest.advanceTimersByTimeAsync(beats * HEARTBEAT_MS);

describe('the heartbeat of an engine run', () => {
  it('says again and again that the run lives, until it is stopped', async () => {
    await goOn(3);
    heartbeat.stop();
    await goOn(3);
    expect(beat.mock.calls).toEqual([['r1'], ['r1'], ['r1']]);
  });

  it('tells when somebody else has closed the run', async () => {
    beat.mockRejectedValue(conflict('The engine run is closed'));
    await goOn(1);
    expect(heartbeat.lost.aborted).toBe(true);
  });

  it.each([
    { name: 'is away', error: unavailable('The database is away') },
    { name: 'let somebody else go first', error: new PlatformError('Conflict', 'A deadlock', { cause: new Error() }) },
  ])('goes on when the database $name', async ({ error }) => {
    beat.mockRejectedValueOnce(error);
    await goOn(2);
    expect([heartbeat.lost.aborted, beat.mock.calls.length]).toEqual([false, 2]);
  });
});
