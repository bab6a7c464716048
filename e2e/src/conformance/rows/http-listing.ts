import assert from 'node:assert/strict';
import type { Answered } from '../http-client.js';
import type { HttpRows } from './http-client-rows.js';

/** Lists: pages, snapshots and revisions. */
export const listingRows: HttpRows = ({ bench, path, kind, schema, anObject }) => {
  const SET = 'labelSelector=list%3Dyes';
  const get = (query: string) => bench.admin.get(`${path}?${query}`);
  const names = (body: Answered): string => body.items.map(({ metadata }) => metadata.name).join(' ');
  const create = async (...created: readonly string[]): Promise<string> => {
    let revision = '';
    for (const name of created) {
      const { code, body, text } = await bench.admin.post(path, anObject(name, { list: 'yes' }));
      assert.equal(code, 201, text);
      revision = body.metadata.resourceVersion;
    }
    return revision;
  };
  return [
    {
      capability: 'a list has its kind, version and revision',
      run: async () => {
        await create('l-a', 'l-b', 'l-c', 'l-d');
        const { body } = await get(SET);
        assert.equal(body.kind, `${kind}List`);
        assert.match(body.apiVersion, /\.crate\.dev\/v1alpha1$/);
        assert.match(body.metadata.resourceVersion, /^\d+$/);
      },
    },
    {
      capability: 'limit and continue: pages are one snapshot',
      run: async () => {
        const first = (await get(`${SET}&limit=2`)).body;
        await bench.admin.call('DELETE', `${path}/l-d`);
        await create('l-bb');
        const second = (await get(`${SET}&limit=2&continue=${first.metadata.continue}`)).body;
        assert.equal(`${names(first)} ${names(second)}`, 'l-a l-b l-c l-d');
        assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
        assert.equal(second.metadata.continue, undefined);
      },
    },
    {
      capability: 'remainingItemCount, only without selectors',
      run: async () => {
        const count = async (): Promise<number> => (await get('')).body.items.length;
        const remaining = async (): Promise<number | undefined> =>
          (await get('limit=1')).body.metadata.remainingItemCount;
        // Other rows come and go in the collection: two counts that agree say what there was in between.
        let [before, rest, after] = [await count(), await remaining(), await count()];
        while (before !== after) [before, rest, after] = [await count(), await remaining(), await count()];
        assert.equal(rest, before - 1);
        assert.equal((await get(`${SET}&limit=1`)).body.metadata.remainingItemCount, undefined);
      },
    },
    {
      capability: 'resourceVersionMatch=Exact',
      run: async () => {
        const before = (await get(SET)).body;
        await create('l-e');
        const then = (await get(`${SET}&resourceVersion=${before.metadata.resourceVersion}&resourceVersionMatch=Exact`))
          .body;
        assert.equal(names(then), names(before));
        assert.equal(then.metadata.resourceVersion, before.metadata.resourceVersion);
      },
    },
    {
      capability: 'resourceVersionMatch=NotOlderThan, and "0"',
      run: async () => {
        const revision = await create('l-f');
        const query = `resourceVersion=${revision}&resourceVersionMatch=NotOlderThan`;
        assert.match(names((await get(`${SET}&${query}`)).body), /l-f/);
        assert.equal((await get(`${SET}&resourceVersion=0`)).code, 200);
      },
    },
    {
      capability: 'a revision of the future is 504 ResourceVersionTooLarge',
      run: async () => {
        const { code, body } = await get('resourceVersion=999999999');
        assert.deepEqual([code, body.details.causes[0]?.reason], [504, 'ResourceVersionTooLarge']);
      },
    },
    {
      capability: 'combinations without meaning are 422, malformed values 400',
      run: async () => {
        for (const query of [
          'resourceVersionMatch=Exact',
          'resourceVersion=0&resourceVersionMatch=Exact',
          'resourceVersion=1&resourceVersionMatch=Newest',
          'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
        ]) {
          assert.equal((await get(query)).code, 422, query);
        }
        for (const query of ['limit=x', 'continue=x', 'resourceVersion=x', 'labelSelector=!!', 'fieldSelector=x']) {
          assert.equal((await get(query)).code, 400, query);
        }
      },
    },
    {
      capability: 'an expired continue token is 410, with one that goes on',
      run: async () => {
        const first = (await get(`${SET}&limit=1`)).body;
        await create('l-z');
        await bench.compactLog(schema);
        const gone = await get(`${SET}&limit=1&continue=${first.metadata.continue}`);
        assert.deepEqual([gone.code, gone.body.reason], [410, 'Expired']);
        const rest = await get(`${SET}&continue=${gone.body.metadata.continue}`);
        assert.match(names(rest.body), /l-z$/);
      },
      isAlone: true,
    },
    {
      capability: 'resourceVersionMatch=Exact of what was compacted is 410',
      run: async () => {
        const { resourceVersion } = (await get('limit=1')).body.metadata;
        await create('l-zz');
        await bench.compactLog(schema);
        const { code } = await get(`resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
        assert.equal(code, 410);
      },
      isAlone: true,
    },
  ];
};
