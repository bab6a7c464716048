import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LogFollower } from './log-follower.js';

const FIRST = '2026-11-22T15:21:31.083000Z [terraform] Creating...';
const SECOND = '2026-11-22T15:21:33.000000Z [terraform] Creation complete';

/** What is sent, and then the end: in order, or broken off. */
function answer(text: string, error?: Error): Response {
  let isSent = false;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (!isSent) controller.enqueue(new TextEncoder().encode(text));
    else if (error) controller.error(error);
    else controller.close();
    isSent = true;
  };
  return new Response(new ReadableStream({ pull }));
}

describe('a log that is followed', () => {
  const { fetch } = globalThis;
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
    globalThis.fetch = fetch;
  });

  it('goes on behind its last line where the answer breaks off, as at the end of a token', async () => {
    const asked: string[] = [];
    const answers = [answer(`${FIRST}\n2026-11-22T15:2`, new TypeError('network error')), answer(`${SECOND}\n`)];
    globalThis.fetch = (input) => {
      asked.push(input as string);
      return Promise.resolve(answers.shift() as Response);
    };
    const follower = new LogFollower('/logs');
    const states: string[] = [];
    const leave = follower.subscribe(() => states.push(follower.current().state));
    await jest.advanceTimersByTimeAsync(3_000);
    leave();

    expect(asked.map((path) => new URLSearchParams(path.split('?')[1]).get('sinceTime'))).toEqual([
      null,
      '2026-11-22T15:21:31.083000Z',
    ]);
    expect(follower.current().lines.map(({ text }) => text)).toEqual(['Creating...', 'Creation complete']);
    expect(states).toEqual(['reconnecting', 'complete']);
  });
});
