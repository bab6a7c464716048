import assert from 'node:assert/strict';
import type { Event } from '../http-client.js';
import type { HttpRows } from './http-client-rows.js';

const INITIAL = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

/** Longer than anything takes: the rows end what they have seen. */
const IN_ANY_CASE = 'timeoutSeconds=120';

/** Watches. */
export const watchingRows: HttpRows = ({ bench, path, anObject, project, schema }) => {
  const revision = async (): Promise<string> =>
    (await bench.admin.get(`${path}?limit=1`)).body.metadata.resourceVersion;
  const create = (name: string, labels: Record<string, string> = {}) => bench.admin.post(path, anObject(name, labels));
  const remove = (name: string) => bench.admin.call('DELETE', `${path}/${name}`);
  const label = (name: string, labels: Record<string, string | null>) => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    return bench.admin.call('PATCH', `${path}/${name}`, { body: { metadata: { labels } }, headers });
  };
  const told = (events: readonly Event[]): string[] =>
    events.map(({ type, object }) => `${type} ${object.metadata.name}`);
  return [
    {
      capability: 'watch from a revision: every change, in order',
      run: async () => {
        const from = await revision();
        for (let index = 0; index < 20; index += 1) await create(`w-${index}`, { watch: 'yes' });
        await remove('w-7');
        // Other changes, such as a first status, may lie between.
        const events = await bench.admin.watch(
          `${path}?watch=true&resourceVersion=${from}&labelSelector=watch%3Dyes&${IN_ANY_CASE}`,
          (events) => told(events).includes('DELETED w-7'),
        );
        const added = told(events).filter((line) => line.startsWith('ADDED'));
        assert.deepEqual(
          added,
          Array.from({ length: 20 }, (_, index) => `ADDED w-${index}`),
        );
        assert.ok(told(events).includes('DELETED w-7'));
        const revisions = events.map(({ object }) => Number(object.metadata.resourceVersion));
        assert.deepEqual(
          revisions,
          [...new Set(revisions)].sort((left, right) => left - right),
        );
      },
    },
    {
      capability: 'watch without a revision: first all that exists',
      run: async () => {
        const events = await bench.admin.watch(`${path}?watch=true&labelSelector=watch%3Dyes&${IN_ANY_CASE}`, 19);
        const all = Array.from({ length: 20 }, (_, index) => `ADDED w-${index}`).filter((line) => line !== 'ADDED w-7');
        assert.deepEqual(told(events.slice(0, 19)).sort(), all.sort());
      },
    },
    {
      capability: 'sendInitialEvents, with the bookmark that ends them',
      run: async () => {
        const count = (await bench.admin.get(path)).body.items.length;
        const events = await bench.admin.watch(`${path}?watch=true&${INITIAL}`, count + 1);
        const last = events[count];
        assert.equal(last?.type, 'BOOKMARK');
        assert.equal(last?.object.metadata.annotations['k8s.io/initial-events-end'], 'true');
        assert.match(last?.object.metadata.resourceVersion ?? '', /^[1-9]\d*$/);
        assert.equal(
          events.slice(0, count).every(({ type }) => type === 'ADDED'),
          true,
        );
      },
    },
    {
      capability: 'sendInitialEvents without its match is 422',
      run: async () => {
        assert.equal((await bench.admin.get(`${path}?watch=true&sendInitialEvents=true`)).code, 422);
        assert.equal((await bench.admin.get(`${path}?watch=true&resourceVersionMatch=NotOlderThan`)).code, 422);
      },
    },
    {
      capability: 'bookmarks tell of revisions that the watch does not show',
      run: async () => {
        const from = await revision();
        await label('w-1', { moved: 'yes' });
        const watch = `${path}?watch=true&resourceVersion=${from}&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dnone`;
        const events = await bench.admin.watch(`${watch}&timeoutSeconds=12`, 1);
        assert.equal(events[0]?.type, 'BOOKMARK');
        assert.ok(Number(events[0]?.object.metadata.resourceVersion) > Number(from));
      },
    },
    {
      capability: 'timeoutSeconds ends it cleanly',
      run: async () => {
        const start = Date.now();
        await bench.admin.watch(`${path}?watch=true&resourceVersion=${await revision()}&timeoutSeconds=1`);
        const seconds = (Date.now() - start) / 1000;
        assert.ok(seconds > 0.9 && seconds < 10, `it took ${seconds} s`);
      },
    },
    {
      capability: 'a selector shows what comes to match as ADDED, what ceases to as DELETED',
      run: async () => {
        await create('selected');
        const from = await revision();
        await label('selected', { chosen: 'yes' });
        await label('selected', { chosen: null });
        const query = `watch=true&resourceVersion=${from}&labelSelector=chosen`;
        const first = await bench.admin.watch(`${path}?${query}`, 2);
        // Its owner may have written the status in between.
        const isTouched = first[1]?.type === 'MODIFIED';
        const events = isTouched ? await bench.admin.watch(`${path}?${query}`, 3) : first;
        const shown = told(events).filter((text) => !text.startsWith('MODIFIED'));
        assert.deepEqual(shown.slice(0, 2), ['ADDED selected', 'DELETED selected']);
      },
    },
    {
      capability: 'watch one object by its path, and by field selector',
      run: async () => {
        const [byPath] = await bench.admin.watch(`${path}/w-2?watch=true`, 1);
        const [byField] = await bench.admin.watch(`${path}?watch=true&fieldSelector=metadata.name%3Dw-2`, 1);
        assert.deepEqual([byPath?.object.metadata.name, byField?.object.metadata.name], ['w-2', 'w-2']);
      },
    },
    {
      capability: 'watch across all namespaces',
      run: async () => {
        const everywhere = path.replace(`/namespaces/${project}`, '');
        const events = await bench.admin.watch(`${everywhere}?watch=true&fieldSelector=metadata.name%3Dw-3`, 1);
        assert.equal(events[0]?.object.metadata.namespace, project);
      },
    },
    {
      capability: 'watch as a table',
      run: async () => {
        const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
        const [first] = await bench.admin.watch(`${path}?watch=true`, 1, undefined, { accept });
        assert.deepEqual([first?.object.kind, first?.object.columnDefinitions[0]?.name], ['Table', 'Name']);
      },
    },
    {
      capability: 'a revision that is not in the log is an ERROR event with 410',
      run: async () => {
        const [event] = await bench.admin.watch(`${path}?watch=true&resourceVersion=999999999`, 1);
        assert.deepEqual([event?.type, event?.object.code, event?.object.reason], ['ERROR', 410, 'Expired']);
      },
    },
    {
      capability: 'a revision that was compacted is an ERROR event with 410',
      run: async () => {
        const from = await revision();
        await create('compacted');
        await bench.compactLog(schema);
        const [event] = await bench.admin.watch(`${path}?watch=true&resourceVersion=${from}`, 1);
        assert.deepEqual([event?.type, event?.object.code, event?.object.reason], ['ERROR', 410, 'Expired']);
      },
      isAlone: true,
    },
  ];
};
