import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LogFollower } from './log-follower.js';

const line = (second: number): string => `2026-11-22T15:21:0${second}.000000Z [terraform] line ${second}\n`;
const realFetch = globalThis.fetch;
let asked: URLSearchParams[];
let answers: ((signal?: AbortSignal | null) => Response)[];

/** A log as far as it comes; then it ends, or breaks. */
function log(text: string, { isBroken = false } = {}): () => Response {
  return () => {
    const pull = (stream: ReadableStreamDefaultController<Uint8Array>): void =>
      isBroken ? stream.error(new TypeError('network error')) : stream.close();
    const start = (stream: ReadableStreamDefaultController<Uint8Array>): void =>
      stream.enqueue(new TextEncoder().encode(text));
    return new Response(new ReadableStream<Uint8Array>({ start, pull }));
  };
}

/** A log as far as it comes; then nothing more does, and nobody says so. */
function silentLog(text: string): (signal?: AbortSignal | null) => Response {
  return (signal) => {
    const start = (stream: ReadableStreamDefaultController<Uint8Array>): void => {
      stream.enqueue(new TextEncoder().encode(text));
      signal?.addEventListener('abort', () => stream.error(signal.reason));
    };
    return new Response(new ReadableStream<Uint8Array>({ start }));
  };
}

const unknown = (): Response => Response.json({ code: 404, reason: 'NotFound' }, { status: 404 });

const faulty = (): Response => Response.json({ code: 500, reason: 'InternalError' }, { status: 500 });
const forbidden = (): Response => Response.json({ code: 403, reason: 'Forbidden' }, { status: 403 });

async function follow(ms: number): Promise<LogFollower> {
  const follower = new LogFollower('/logs');
  follower.subscribe(() => undefined);
  await jest.advanceTimersByTimeAsync(ms);
  return follower;
}

const textsOf = (follower: LogFollower): readonly string[] => follower.current().lines.map(({ text }) => text);

describe('LogFollower', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    asked = [];
    globalThis.fetch = (input, init) => {
      asked.push(new URL(input as string, 'https://crate').searchParams);
      return Promise.resolve((answers.shift() ?? log(''))(init?.signal));
    };
  });
  afterEach(() => {
    jest.useRealTimers();
    globalThis.fetch = realFetch;
  });

  it('goes on behind the last whole line after a break, and shows nothing twice', async () => {
    answers = [log(`${line(1)}${line(2).slice(0, 40)}`, { isBroken: true }), log(line(1) + line(2))];
    const follower = await follow(1_000);
    expect(follower.current().state).toBe('reconnecting');
    await jest.advanceTimersByTimeAsync(2_000);
    expect(asked[1]?.get('sinceTime')).toBe('2026-11-22T15:20:51.000Z');
    expect(textsOf(follower)).toEqual(['line 1', 'line 2']);
    expect(follower.current().state).toBe('complete');
  });

  it('goes on behind the last line that has a time', async () => {
    answers = [log(`${line(1)}[2 lines are not kept]\n`, { isBroken: true }), log(line(2))];
    const follower = await follow(3_000);
    expect(asked[1]?.get('sinceTime')).toBe('2026-11-22T15:20:51.000Z');
    expect(textsOf(follower)).toEqual(['line 1', '[2 lines are not kept]', 'line 2']);
  });

  it('shows what another source has stored late, and nothing twice', async () => {
    const ofRke = (second: number): string => line(second).replace('terraform', 'rke');
    answers = [log(ofRke(0) + line(2), { isBroken: true }), log(ofRke(0) + ofRke(1) + line(2) + line(3))];
    expect(textsOf(await follow(3_000))).toEqual(['line 0', 'line 2', 'line 1', 'line 3']);
  });

  it('looks again at what is complete, and says nothing while nothing came', async () => {
    answers = [log(line(1)), log(''), log(line(2))];
    const follower = await follow(1_000);
    const first = follower.current();
    expect(first.state).toBe('complete');
    await jest.advanceTimersByTimeAsync(15_000);
    expect(asked).toHaveLength(2);
    expect(follower.current()).toBe(first);
    await jest.advanceTimersByTimeAsync(15_000);
    expect(textsOf(follower)).toEqual(['line 1', 'line 2']);
  });

  it('reads on by another request when nothing came for a minute, and goes on saying that it follows', async () => {
    answers = [silentLog(line(1)), silentLog(line(1) + line(2)), silentLog('')];
    const follower = await follow(59_000);
    expect(asked).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(asked[1]?.get('sinceTime')).toBe('2026-11-22T15:20:51.000Z');
    expect(textsOf(follower)).toEqual(['line 1', 'line 2']);
    expect(follower.current().state).toBe('following');
  });

  it('comes back from a platform that was restarted and does not serve it yet', async () => {
    answers = [log(line(1), { isBroken: true }), unknown, log(line(2))];
    const follower = await follow(3_000);
    expect(follower.current().state).toBe('reconnecting');
    await jest.advanceTimersByTimeAsync(2_000);
    expect(textsOf(follower)).toEqual(['line 1', 'line 2']);
  });

  it('counts the lines that it keeps no more', async () => {
    const many = Array.from(
      { length: 50_003 },
      (_, n) => `2026-11-22T15:21:00.${String(n).padStart(6, '0')}Z [x] ${n}\n`,
    );
    answers = [log(many.join(''))];
    const { dropped, lines } = (await follow(1_000)).current();
    expect({ dropped, first: lines[0]?.text, count: lines.length }).toEqual({ dropped: 3, first: '3', count: 50_000 });
  });

  it('goes on by itself after a fault of the platform', async () => {
    answers = [log(line(1), { isBroken: true }), faulty, log(line(2))];
    const follower = await follow(3_000);
    expect(follower.current()).toMatchObject({ state: 'reconnecting', error: { status: 500 } });
    await jest.advanceTimersByTimeAsync(2_000);
    expect(textsOf(follower)).toEqual(['line 1', 'line 2']);
  });

  it('keeps what was read when it may be read no more, until it is asked to go on', async () => {
    answers = [log(line(1), { isBroken: true }), forbidden, log(line(2))];
    const follower = await follow(60_000);
    expect(follower.current()).toMatchObject({ state: 'failed', error: { status: 403 } });
    expect(textsOf(follower)).toEqual(['line 1']);
    follower.resume();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(textsOf(follower)).toEqual(['line 1', 'line 2']);
    expect(follower.current()).toMatchObject({ state: 'complete' });
  });

  it('says so where there is no such log', async () => {
    answers = [unknown];
    expect((await follow(1_000)).current()).toMatchObject({ state: 'failed', error: { status: 404 } });
  });
});
