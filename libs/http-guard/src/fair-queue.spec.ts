import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FairQueue } from './fair-queue.js';

const { signal } = new AbortController();

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Enters for each letter in turn, and keeps the ways out by their place in the text. */
function crowd(queue: FairQueue, flows: string): { inside: string; leave: (index: number) => void } {
  const ways = new Map<number, () => void>();
  const state = {
    inside: '',
    leave: (index: number): void => {
      ways.get(index)?.();
    },
  };
  [...flows].forEach((flow, index) => {
    void queue.enter(flow, signal).then(
      (out) => {
        ways.set(index, out);
        state.inside += flow;
      },
      () => (state.inside += flow.toUpperCase()),
    );
  });
  return state;
}

async function tick(): Promise<void> {
  for (let n = 0; n < 10; n += 1) await Promise.resolve();
}

describe('FairQueue', () => {
  const options = { concurrency: 2, queueLength: 10, waitMs: 1000 };

  it('lets so many in, and the next when one leaves', async () => {
    const people = crowd(new FairQueue(options), 'abc');
    await tick();
    expect(people.inside).toBe('ab');
    people.leave(0);
    await tick();
    expect(people.inside).toBe('abc');
  });

  it('lets nobody starve behind one who sends a lot', async () => {
    const people = crowd(new FairQueue(options), 'nnnnnnnnnnx');
    await tick();
    expect(people.inside).toBe('nn');
    people.leave(0);
    await tick();
    expect(people.inside).toBe('nnx');
  });

  it('keeps some room free for others', async () => {
    const queue = new FairQueue({ concurrency: 4, queueLength: 10, waitMs: 1000 });
    const people = crowd(queue, 'nnnnx');
    await tick();
    expect(people.inside).toBe('nnnx');
    expect(queue.inside).toBe(4);
  });

  it('turns away whom there is no place to wait for, and who waited too long', async () => {
    const queue = new FairQueue({ ...options, concurrency: 1, queueLength: 2 });
    const people = crowd(queue, 'aaaab');
    await tick();
    expect(people.inside).toBe('aA');
    jest.advanceTimersByTime(1000);
    await tick();
    expect(people.inside).toBe('aAAAB');
  });

  it('says when to come back', async () => {
    const queue = new FairQueue({ ...options, concurrency: 1, queueLength: 0 });
    await queue.enter('a', signal);
    await expect(queue.enter('a', signal)).rejects.toMatchObject({
      code: 'TooManyRequests',
      details: { retryAfterMs: 1000 },
    });
  });

  it('forgets whoever goes away while waiting, and gives the place of nobody twice', async () => {
    const queue = new FairQueue({ ...options, concurrency: 1 });
    const out = await queue.enter('a', signal);
    const gone = new AbortController();
    const waiting = queue.enter('b', gone.signal);
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'TooManyRequests' });
    out();
    out();
    expect(queue.inside).toBe(0);
    const first = await queue.enter('c', signal);
    expect(queue.inside).toBe(1);
    first();
  });
});
