import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
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
  afterEach(() => api.remove());

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
});
