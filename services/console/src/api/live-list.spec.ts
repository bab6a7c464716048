import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LiveList, type Identified } from './live-list.js';
import { PlayedApi } from '../testing/played-api.js';

const api = new PlayedApi();
const PATH = '/apis/g/v1/things';

const thing = (name: string, resourceVersion: string): Identified => ({ metadata: { name, resourceVersion } });

/** Waits for a snapshot that `holds`. */
function until<T extends Identified>(list: LiveList<T>, holds: (names: readonly string[]) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = list.subscribe(() => {
      if (!holds(list.current().items.map(({ metadata }) => metadata.name))) return;
      queueMicrotask(() => stop());
      resolve();
    });
  });
}

describe('LiveList', () => {
  beforeEach(() => api.install());
  afterEach(() => {
    jest.useRealTimers();
    api.remove();
  });

  it('lists once and applies what it hears', async () => {
    api.list(PATH, [thing('a', '1')], '5');
    const list = new LiveList(PATH);
    const seen = until(list, (names) => names.join() === 'b');
    const watch = await api.watchOf(PATH);
    expect(watch.query.get('resourceVersion')).toBe('5');
    watch.send({ type: 'ADDED', object: thing('b', '6') });
    watch.send({ type: 'DELETED', object: thing('a', '7') });
    await seen;
    expect(list.current().liveness).toBe('live');
  });

  it('goes on where it was after a break', async () => {
    api.list(PATH, [], '5');
    const list = new LiveList(PATH);
    const seen = until(list, (names) => names.includes('late'));
    const first = await api.watchOf(PATH);
    first.send({ type: 'BOOKMARK', object: thing('', '9') });
    first.end();
    const second = await api.watchOf(PATH);
    expect(second.query.get('resourceVersion')).toBe('9');
    second.send({ type: 'ADDED', object: thing('late', '10') });
    await seen;
    expect(api.lists).toBe(1);
  });

  it('lists anew when its place in history is gone', async () => {
    api.list(PATH, [thing('old', '1')], '5');
    const list = new LiveList(PATH);
    const seen = until(list, (names) => names.join() === 'new');
    const watch = await api.watchOf(PATH);
    api.list(PATH, [thing('new', '8')], '9');
    watch.send({ type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old' } });
    await seen;
    expect(api.lists).toBe(2);
  });

  it('stops and says why when it may not look', async () => {
    api.refuse(PATH, 403, { reason: 'Forbidden', message: 'no role' });
    const list = new LiveList(PATH);
    await new Promise<void>((resolve) => list.subscribe(() => resolve()));
    expect(list.current()).toMatchObject({ liveness: 'failed', error: { status: 403, message: 'no role' } });
  });

  it('lists anew what a platform that was restarted does not know of yet', async () => {
    jest.useFakeTimers();
    api.list(PATH, [thing('old', '1')], '5');
    const list = new LiveList(PATH);
    const stop = list.subscribe(() => undefined);
    const watch = await api.watchOf(PATH);
    await jest.advanceTimersByTimeAsync(0);
    const played = globalThis.fetch;
    const unknown = { kind: 'Status', code: 404, reason: 'NotFound', message: 'no such path' };
    globalThis.fetch = () => Promise.resolve(Response.json(unknown, { status: 404 }));
    watch.end();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(list.current()).toMatchObject({ liveness: 'reconnecting', items: [{ metadata: { name: 'old' } }] });
    globalThis.fetch = played;
    api.list(PATH, [thing('new', '1')], '2');
    await jest.advanceTimersByTimeAsync(20_000);
    expect(list.current()).toMatchObject({ liveness: 'live', items: [{ metadata: { name: 'new' } }] });
    stop();
  });

  it('stops where there never was such a list', async () => {
    const list = new LiveList(PATH);
    await new Promise<void>((resolve) => list.subscribe(() => resolve()));
    expect(list.current()).toMatchObject({ liveness: 'failed', error: { status: 404 } });
  });

  it('says that it reconnects until a watch is open again, and asks ever less often', async () => {
    jest.useFakeTimers();
    api.list(PATH, [thing('a', '1')], '5');
    const list = new LiveList(PATH);
    const seen: string[] = [];
    const stop = list.subscribe(() => seen.push(list.current().liveness));
    const first = await api.watchOf(PATH);
    await jest.advanceTimersByTimeAsync(0);
    seen.length = 0;
    const played = globalThis.fetch;
    let tries = 0;
    globalThis.fetch = () => Promise.reject(new TypeError(`Failed to fetch ${(tries += 1)}`));
    first.end();
    await jest.advanceTimersByTimeAsync(30_000);
    expect(new Set(seen)).toEqual(new Set(['reconnecting']));
    expect(tries).toBeLessThan(9);
    globalThis.fetch = played;
    await jest.advanceTimersByTimeAsync(20_000);
    expect(seen.at(-1)).toBe('live');
    stop();
  });

  it('keeps an empty list for something known, also while it lists anew', async () => {
    jest.useFakeTimers();
    api.list(PATH, [], '5');
    const list = new LiveList(PATH);
    const stop = list.subscribe(() => undefined);
    const watch = await api.watchOf(PATH);
    await jest.advanceTimersByTimeAsync(0);
    expect(list.current().liveness).toBe('live');
    api.fail(PATH);
    watch.send({ type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old' } });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(list.current()).toMatchObject({ liveness: 'reconnecting', error: { status: 0 } });
    stop();
  });

  it('is not live, and asks ever less often, while each watch is taken and fails', async () => {
    jest.useFakeTimers();
    api.list(PATH, [thing('a', '1')], '5');
    const list = new LiveList(PATH);
    const seen: string[] = [];
    const stop = list.subscribe(() => seen.push(list.current().liveness));
    const first = await api.watchOf(PATH);
    await jest.advanceTimersByTimeAsync(2_000);
    seen.length = 0;
    const played = globalThis.fetch;
    const away = `${JSON.stringify({ type: 'ERROR', object: { code: 503, reason: 'ServiceUnavailable' } })}\n`;
    globalThis.fetch = jest.fn<typeof fetch>(() => Promise.resolve(new Response(away)));
    first.send({ type: 'ADDED', object: thing('b', '6') });
    first.end();
    await jest.advanceTimersByTimeAsync(30_000);
    expect(new Set(seen)).toEqual(new Set(['reconnecting']));
    expect(list.current().items).toHaveLength(2);
    expect((globalThis.fetch as jest.Mock).mock.calls.length).toBeLessThan(9);
    globalThis.fetch = played;
    stop();
  });

  it('opens another watch where one is silent for longer than between two bookmarks', async () => {
    jest.useFakeTimers();
    api.list(PATH, [thing('a', '1')], '5');
    const list = new LiveList(PATH);
    const stop = list.subscribe(() => undefined);
    const first = await api.watchOf(PATH);
    await jest.advanceTimersByTimeAsync(61_000);
    first.send({ type: 'BOOKMARK', object: thing('', '9') });
    await jest.advanceTimersByTimeAsync(61_000);
    expect(list.current().liveness).toBe('live');
    await jest.advanceTimersByTimeAsync(30_000);
    const second = await api.watchOf(PATH);
    expect(second.query.get('resourceVersion')).toBe('9');
    stop();
  });
});
