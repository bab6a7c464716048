import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { at } from '../fixtures/at.js';
import { eventLines, HttpBench, CLUSTER_PATH, MAP_PATH } from '../fixtures/http-bench.js';
import { aCluster, aConfigMap } from '../fixtures/local-api.js';
import { CONFIG_MAP } from '../fixtures/kinds.js';
import { kindInfoOf } from '../kinds/kind-info.js';
import { watchOptions } from './list-options.js';
import { statedRevision } from '../local-api/local-list.js';

const bench = new HttpBench();
const { call, post } = bench;
beforeEach(async () => {
  await bench.start();
  for (const name of ['a', 'b', 'c', 'd']) await post(MAP_PATH, aConfigMap(name, {}));
});
afterEach(() => bench.stop());

async function names(query: string): Promise<unknown> {
  const { code, body } = await call('GET', `${MAP_PATH}?${query}`);
  if (code !== 200) return { code, reason: at(body, '.reason') };
  return (at(body, '.items') as { readonly metadata: { readonly name: string } }[]).map(
    ({ metadata }) => metadata.name,
  );
}

describe('the revision of a list', () => {
  const ALL = ['a', 'b', 'c', 'd'];

  it.each([
    { query: 'resourceVersion=', reason: 'the newest state', want: ALL },
    { query: 'resourceVersion=0', reason: 'any state will do', want: ALL },
    { query: 'resourceVersion=0&limit=2', reason: 'any state will do', want: ['a', 'b'] },
    { query: 'resourceVersion=2', reason: 'without a limit it need only not be older', want: ALL },
    { query: 'resourceVersion=2&resourceVersionMatch=NotOlderThan', reason: 'it need only not be older', want: ALL },
    { query: 'resourceVersion=2&resourceVersionMatch=NotOlderThan&limit=3', reason: 'the same', want: ['a', 'b', 'c'] },
    { query: 'resourceVersion=0&resourceVersionMatch=NotOlderThan', reason: 'any state will do', want: ALL },
    { query: 'resourceVersion=2&resourceVersionMatch=Exact', reason: 'that very state', want: ['a', 'b'] },
    { query: 'resourceVersion=3&limit=2', reason: 'a page without a match means that very state', want: ['a', 'b'] },
  ])('$query: $reason', async ({ query, want }) => {
    expect(await names(query)).toEqual(want);
  });

  it.each([
    { query: 'resourceVersion=x', want: { code: 400, reason: 'BadRequest' } },
    { query: 'resourceVersionMatch=Exact', want: { code: 422, reason: 'Invalid' } },
    { query: 'resourceVersion=2&resourceVersionMatch=exact', want: { code: 422, reason: 'Invalid' } },
    { query: 'resourceVersion=0&resourceVersionMatch=Exact', want: { code: 422, reason: 'Invalid' } },
    { query: 'sendInitialEvents=true', want: { code: 422, reason: 'Invalid' } },
    { query: 'resourceVersion=99', want: { code: 504, reason: 'Timeout' } },
    { query: 'resourceVersion=99&resourceVersionMatch=Exact', want: { code: 504, reason: 'Timeout' } },
    { query: 'watch=true&resourceVersion=x', want: { code: 400, reason: 'BadRequest' } },
    { query: 'watch=true&labelSelector=!!', want: { code: 400, reason: 'BadRequest' } },
    { query: 'watch=true&fieldSelector=x', want: { code: 400, reason: 'BadRequest' } },
    { query: 'watch=true&resourceVersion=1&resourceVersionMatch=Exact', want: { code: 422, reason: 'Invalid' } },
    { query: 'watch=true&sendInitialEvents=true', want: { code: 422, reason: 'Invalid' } },
    { query: 'watch=true&sendInitialEvents=true&resourceVersionMatch=Exact', want: { code: 422, reason: 'Invalid' } },
    { query: 'watch=true&resourceVersionMatch=NotOlderThan', want: { code: 422, reason: 'Invalid' } },
  ])('refuses $query', async ({ query, want }) => {
    expect(await names(query)).toEqual(want);
  });

  it('may be that of a view of twenty stores', () => {
    const resourceVersion = `1${'179570000000000000001'.repeat(20)}`;
    expect(statedRevision(resourceVersion)).toBe(resourceVersion);
  });

  it('names each bad field of a refused combination', async () => {
    const { body } = await call('GET', `${MAP_PATH}?resourceVersionMatch=Newest&continue=x`);
    expect(body).toMatchObject({
      message: expect.stringMatching(
        /^ListOptions.meta.k8s.io "" is invalid: \[resourceVersionMatch: Forbidden: /,
      ) as unknown,
      details: {
        group: 'meta.k8s.io',
        kind: 'ListOptions',
        causes: [
          { field: 'resourceVersionMatch', reason: 'FieldValueForbidden' },
          { field: 'resourceVersionMatch', reason: 'FieldValueForbidden' },
          { field: 'resourceVersionMatch', reason: 'FieldValueNotSupported' },
        ],
      },
    });
  });

  it('may not be stated beside a continue token, except as "0"', async () => {
    const { body } = await call('GET', `${MAP_PATH}?limit=2`);
    const rest = `limit=2&continue=${String(at(body, '.metadata.continue'))}`;
    expect(await names(`${rest}&resourceVersion=2`)).toEqual({ code: 400, reason: 'BadRequest' });
    expect(await names(`${rest}&resourceVersionMatch=Exact&resourceVersion=2`)).toEqual({
      code: 422,
      reason: 'Invalid',
    });
    expect(await names(`${rest}&resourceVersion=0`)).toEqual(['c', 'd']);
  });

  it('says that a revision is too large the way clients recognise', async () => {
    const { body, headers } = await call('GET', `${MAP_PATH}?resourceVersion=99`);
    expect(at(body, '.details.causes[0]')).toEqual({
      reason: 'ResourceVersionTooLarge',
      message: 'Too large resource version',
    });
    expect(headers.get('retry-after')).toBe('1');
  });
});

describe('pages', () => {
  it('say how many items remain, and are Gone with a token that goes on', async () => {
    const first = (await call('GET', `${MAP_PATH}?limit=1`)).body;
    expect(at(first, '.metadata.remainingItemCount')).toBe(3);
    await post(MAP_PATH, aConfigMap('e', {}));
    await bench.server.store.compact(0);
    const gone = await call('GET', `${MAP_PATH}?limit=1&continue=${String(at(first, '.metadata.continue'))}`);
    expect(gone.body).toMatchObject({
      code: 410,
      reason: 'Expired',
      metadata: { continue: expect.any(String) as unknown },
    });
    expect(await names(`continue=${String(at(gone.body, '.metadata.continue'))}`)).toEqual(['b', 'c', 'd', 'e']);
  });

  it('show remaining items in tables too', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await call('GET', `${MAP_PATH}?limit=3`, { headers: { accept } });
    expect(at(body, '.metadata.remainingItemCount')).toBe(1);
  });
});

describe('a field that clusters do not have', () => {
  const query = 'fieldSelector=spec.regoin!%3Deu';

  it.each([
    { method: 'GET', path: `${CLUSTER_PATH}?${query}` },
    { method: 'GET', path: `${CLUSTER_PATH}?watch=true&${query}` },
    { method: 'DELETE', path: `${CLUSTER_PATH}?${query}` },
  ])('is refused: $method $path', async ({ method, path }) => {
    await post(CLUSTER_PATH, aCluster('demo'));
    const { code, body } = await call(method, path);
    expect({ code, reason: at(body, '.reason') }).toEqual({ code: 400, reason: 'BadRequest' });
    expect(at(body, '.message')).toBe('field label not supported: spec.regoin (did you mean "spec.region"?)');
    expect((await call('GET', `${CLUSTER_PATH}/demo`)).code).toBe(200);
    expect(at((await call('GET', `${CLUSTER_PATH}/demo`)).body, '.metadata.deletionTimestamp')).toBeUndefined();
  });
});

describe('a watch', () => {
  it.each([
    { seconds: '', want: undefined },
    { seconds: '0', want: undefined },
    { seconds: '600', want: 600_000 },
    { seconds: '3000000', want: 2_147_483_647 },
    { seconds: '999999999', want: 2_147_483_647 },
  ])('lasts as long as a timer can when $seconds seconds are asked for', ({ seconds, want }) => {
    const query = new URLSearchParams({ timeoutSeconds: seconds });
    const path = { group: '', version: 'v1', resource: 'configmaps' } as never;
    expect(watchOptions(query, path, kindInfoOf(CONFIG_MAP.definition)).timeoutMs).toBe(want);
  });

  it('sends a bookmark at the end of its time when asked to', async () => {
    const response = await bench.watch('resourceVersion=4&allowWatchBookmarks=true&timeoutSeconds=1');
    const seen = [];
    for await (const event of eventLines(response)) seen.push(event);
    expect(seen).toMatchObject([{ type: 'BOOKMARK', object: { kind: 'Cluster', metadata: { resourceVersion: '4' } } }]);
  });

  it('sends what exists at least as new as asked, then changes', async () => {
    const created = await post(CLUSTER_PATH, aCluster());
    const revision = String(at(created.body, '.metadata.resourceVersion'));
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const events = eventLines(await bench.watch(`${query}&resourceVersion=${revision}`));
    expect((await events.next()).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'demo' } } });
    expect((await events.next()).value).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: revision } },
    });
    await post(CLUSTER_PATH, aCluster('next'));
    expect((await events.next()).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'next' } } });
    await events.return(undefined);
  });
});
