import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApiServer, type ApiServerFixture } from '../fixtures/api-server.js';

let server: ApiServerFixture;
beforeAll(async () => {
  server = await startApiServer();
});
afterAll(() => server.close());

const DOCUMENT = '/openapi/v3/apis/lifecycle.crate.dev/v1alpha1';
const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const authorization = 'Bearer vera-token';
  return fetch(`${server.url}${path}`, { headers: { authorization, ...headers }, redirect: 'manual' });
}

async function hashedUrl(): Promise<string> {
  const index = (await (await get('/openapi/v3')).json()) as { paths: Record<string, { serverRelativeURL: string }> };
  return index.paths['apis/lifecycle.crate.dev/v1alpha1']?.serverRelativeURL ?? '';
}

describe('OpenAPI v3 over HTTP', () => {
  it('lets clients keep a document for good that its URL names by hash', async () => {
    const response = await get(await hashedUrl());
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('etag')).toBe(`"${(await hashedUrl()).split('hash=')[1]}"`);
  });

  it('sends a client with an old hash to the present content', async () => {
    const response = await get(`${DOCUMENT}?hash=OLD`);
    expect(response.status).toBe(301);
    expect(response.headers.get('location')).toBe(await hashedUrl());
  });

  it.each(['exactly', 'weakly', 'among others'])(
    'sends nothing twice to a client that names the content %s',
    async (how) => {
      const tag = (await get(DOCUMENT)).headers.get('etag') ?? '';
      const known = { exactly: tag, weakly: `W/${tag}`, 'among others': `"x", ${tag}` }[how] ?? '';
      const response = await get(DOCUMENT, { 'if-none-match': known });
      expect([response.status, await response.text()]).toEqual([304, '']);
    },
  );

  it('asks anew when the content changed, and keeps other content unnamed', async () => {
    const response = await get(DOCUMENT, { 'if-none-match': '"other"' });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-cache, private');
  });

  it('knows only what is served', async () => {
    expect((await get('/openapi/v3/apis/nobody.dev/v1')).status).toBe(404);
  });
});

describe('OpenAPI v2 over HTTP', () => {
  it.each([
    { accept: 'application/json', type: 'application/json' },
    { accept: '*/*', type: 'application/json' },
    { accept: V2_PROTOBUF, type: V2_PROTOBUF.replace('@', '.') },
    { accept: `${V2_PROTOBUF}, application/json`, type: V2_PROTOBUF.replace('@', '.') },
  ])('answers $accept with $type', async ({ accept, type }) => {
    const response = await get('/openapi/v2', { accept });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
  });

  it('refuses what it cannot write', async () => {
    expect((await get('/openapi/v2', { accept: 'image/png' })).status).toBe(406);
  });
});
