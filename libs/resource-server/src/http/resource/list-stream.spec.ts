import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { unavailable } from '@crate/errors';
import { parse } from 'yaml';
import { startApiServer, type ApiServerFixture } from '../../fixtures/api-server.js';
import { aConfigMap, CONFIG_MAPS, CONTEXT } from '../../fixtures/local-api.js';
import { yamlOf } from '../yaml-text.js';

const MAPS = '/api/v1/namespaces/team-a/configmaps';
const COUNT = 1_201;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

let server: ApiServerFixture;
let asked: (number | undefined)[];

beforeEach(async () => {
  server = await startApiServer();
  for (let n = 0; n < COUNT; n += 1) {
    await server.api.create(
      CONFIG_MAPS,
      aConfigMap(`map-${String(n).padStart(4, '0')}`, { n: String(n) }),
      {},
      CONTEXT,
    );
  }
  asked = [];
  const { list } = server.api;
  server.api.list = (type, options, context) => {
    asked.push(options.limit);
    return list.call(server.api, type, options, context);
  };
});
afterEach(async () => server.close());

interface Answer {
  readonly kind: string;
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items?: readonly { readonly metadata: { readonly name: string } }[];
  readonly rows?: readonly unknown[];
  readonly columnDefinitions?: readonly unknown[];
}

async function send(query: string, accept: string, method = 'GET'): Promise<Response> {
  const headers = { authorization: 'Bearer ada-token', accept };
  const response = await fetch(`${server.url}${MAPS}${query}`, { method, headers });
  expect(response.status).toBe(200);
  return response;
}

async function get(query: string, accept = 'application/json'): Promise<Answer> {
  return (await (await send(query, accept)).json()) as Answer;
}

/** How often others had a turn meanwhile. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  void work.finally(() => (isOver = true));
  for (; !isOver; turns += 1) await new Promise(setImmediate);
  return turns;
}

describe('a list', () => {
  it('without a limit is sent in pages, whole and in order, from one snapshot', async () => {
    const pages = server.api.list;
    let isFirst = true;
    server.api.list = async (type, options, context) => {
      const page = await pages(type, options, context);
      // Somebody writes between two pages.
      if (isFirst) await server.api.create(CONFIG_MAPS, aConfigMap('map-9999', {}), {}, CONTEXT);
      isFirst = false;
      return page;
    };
    const { kind, items = [], metadata } = await get('');
    expect(kind).toBe('ConfigMapList');
    expect(items.map((item) => item.metadata.name)).toEqual(
      Array.from({ length: COUNT }, (_, n) => `map-${String(n).padStart(4, '0')}`),
    );
    expect(metadata).toEqual({ resourceVersion: String(COUNT) });
    expect(asked).toEqual([500, 500, 500]);
  });

  it('as a table has its columns once', async () => {
    const { kind, rows, columnDefinitions, metadata } = await get('', TABLE);
    expect([kind, rows?.length]).toEqual(['Table', COUNT]);
    expect(columnDefinitions?.length).toBeGreaterThan(1);
    expect(metadata.resourceVersion).toBe(String(COUNT));
  });

  it('with a large limit has that many, and goes on behind them', async () => {
    const first = await get('?limit=700');
    expect(first.items).toHaveLength(700);
    const second = await get(`?limit=700&continue=${encodeURIComponent(first.metadata.continue ?? '')}`);
    expect(second.items?.[0]?.metadata.name).toBe('map-0700');
    expect(second.items).toHaveLength(COUNT - 700);
    expect(second.metadata.continue).toBeUndefined();
  });

  it.each(['?limit=500', '?labelSelector=no%3Done', '?resourceVersion=1&resourceVersionMatch=NotOlderThan&limit=3'])(
    'that is short is sent at once: %s',
    async (query) => {
      await get(query);
      expect(asked).toHaveLength(1);
    },
  );

  it('that fails half way ends the connection instead of looking whole', async () => {
    const pages = server.api.list;
    server.api.list = (type, options, context) =>
      options.continue === undefined ? pages(type, options, context) : Promise.reject(unavailable('The owner is away'));
    await expect(get('')).rejects.toThrow();
  });

  it('that the server ends half way does not look whole either', async () => {
    const pages = server.api.list;
    server.api.list = (type, options, context) => {
      if (options.continue !== undefined) server.handler.close();
      return pages(type, options, context);
    };
    await expect(get('')).rejects.toThrow();
    expect(asked).toEqual([500, 500]);
  });
});

describe('a list in YAML', () => {
  const YAML = 'application/yaml';

  it.each([
    { query: '?limit=3', accept: YAML },
    { query: '?limit=3&labelSelector=no%3Done', accept: YAML },
    { query: '?limit=2', accept: 'text/plain' },
    { query: '?limit=3', accept: `${YAML};as=Table;v=v1;g=meta.k8s.io` },
    { query: '?limit=3', accept: `${YAML};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io` },
  ])('is that of its JSON: $query as $accept', async ({ query, accept }) => {
    const response = await send(query, accept);
    expect(response.headers.get('content-type')).toMatch(/^(application\/yaml|text\/plain; charset=utf-8)$/);
    const json = await get(query, accept.replace(/^[^;]*/, 'application/json'));
    expect(await response.text()).toBe(yamlOf(json));
  });

  it('without a limit is sent in pages, and whole', async () => {
    const text = await (await send('', YAML)).text();
    expect(asked).toEqual([500, 500, 500]);
    expect(text).toBe(yamlOf(await get('')));
  });

  describe('beside other work', () => {
    let now: number;
    let passesMs: number;
    beforeEach(() => {
      now = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => (now += passesMs));
    });
    afterEach(() => void jest.restoreAllMocks());

    const turnsOf = (query: string): Promise<number> =>
      turnsDuring(send(query, YAML).then((response) => response.text()));

    it.each(['?limit=500', '?limit=1000'])('lets others have their turn when it took some time: %s', async (query) => {
      passesMs = 10;
      expect(await turnsOf(query)).toBeGreaterThan(500);
    });

    it('does not wait for others after each object', async () => {
      passesMs = 0;
      expect(await turnsOf('?limit=500')).toBeLessThan(400);
    });
  });

  it.each([YAML, 'text/plain'])('of what was deleted is whole, at once: as %s', async (accept) => {
    const few = await send('?limit=2', accept, 'DELETE');
    const fewText = await few.text();
    expect(fewText).toBe(yamlOf(parse(fewText)));
    const many = await send('?limit=500', accept, 'DELETE');
    const text = await many.text();
    expect(many.headers.get('content-type')).toBe(few.headers.get('content-type'));
    expect(many.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect((JSON.parse(text) as Answer).items).toHaveLength(500);
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it('that the server ends half way does not look whole', async () => {
    const pages = server.api.list;
    server.api.list = (type, options, context) => {
      setTimeout(() => server.handler.close(), 1);
      return pages(type, options, context);
    };
    await expect(send('?limit=500', YAML).then((response) => response.text())).rejects.toThrow();
  });
});
