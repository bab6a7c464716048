import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { WatchEvent } from '@crate/api';
import type { WatchOptions } from '@crate/resource-client';
import { aConfigMap, CONFIG_MAPS, CONTEXT, localApi, type LocalFixture, refTo } from '../fixtures/local-api.js';

let fixture: LocalFixture;
let stop: AbortController;
beforeEach(() => {
  fixture = localApi();
  stop = new AbortController();
});
afterEach(() => stop.abort());

function watch(options: WatchOptions = {}): AsyncIterator<WatchEvent> {
  const context = { ...CONTEXT, signal: stop.signal };
  return fixture.api.watch(CONFIG_MAPS, options, context)[Symbol.asyncIterator]();
}

async function create(name: string): Promise<string> {
  const { object } = await fixture.api.create(CONFIG_MAPS, aConfigMap(name, {}), {}, CONTEXT);
  return object.metadata.resourceVersion;
}

async function take(events: AsyncIterator<WatchEvent>, count: number): Promise<string[]> {
  const seen: string[] = [];
  while (seen.length < count) {
    const next = await events.next();
    if (next.done) break;
    const { type, object } = next.value;
    seen.push(`${type} ${object.metadata.name}`);
  }
  return seen;
}

describe('watch', () => {
  it.each([{}, { resourceVersion: '' }, { resourceVersion: '0' }])(
    'begins with all that exists for %j',
    async (options) => {
      await create('a');
      const events = watch(options);
      expect(await take(events, 1)).toEqual(['ADDED a']);
      const next = take(events, 1);
      await create('b');
      expect(await next).toEqual(['ADDED b']);
    },
  );

  it('begins after a revision', async () => {
    const revision = await create('a');
    const events = watch({ resourceVersion: revision });
    const next = take(events, 2);
    await create('b');
    await fixture.api.remove(refTo(CONFIG_MAPS, 'a'), {}, CONTEXT);
    expect(await next).toEqual(['ADDED b', 'DELETED a']);
  });

  it('marks the end of the initial events', async () => {
    const revision = await create('a');
    const events = watch({ sendInitialEvents: true, allowBookmarks: true, resourceVersion: revision });
    expect(await take(events, 1)).toEqual(['ADDED a']);
    const { value } = (await events.next()) as { value: WatchEvent };
    expect(value).toMatchObject({
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { resourceVersion: revision, annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    });
  });

  it('leaves the initial events out when told so', async () => {
    await create('a');
    const events = watch({ sendInitialEvents: false });
    const next = take(events, 1);
    await create('b');
    expect(await next).toEqual(['ADDED b']);
  });

  it('ends with the signal and after its time', async () => {
    expect(await take(watch({ timeoutMs: 5 }), 1)).toEqual([]);
    const next = take(watch(), 1);
    stop.abort();
    expect(await next).toEqual([]);
  });

  it.each([
    { name: 'a revision older than the log', resourceVersion: '1', code: 'Gone' },
    { name: 'a revision that is no number', resourceVersion: 'x', code: 'BadRequest' },
  ])('refuses $name', async ({ resourceVersion, code }) => {
    for (const name of ['a', 'b', 'c']) await create(name);
    await fixture.store.compact(1);
    await expect(watch({ resourceVersion }).next()).rejects.toMatchObject({ code });
  });

  it('filters by selectors', async () => {
    await create('a');
    const events = watch({ fieldSelector: 'metadata.name=b' });
    const next = take(events, 1);
    await create('b');
    expect(await next).toEqual(['ADDED b']);
  });
});
