import { afterEach, describe, expect, it } from '@jest/globals';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { aCluster, CLUSTERS as CLUSTER_TYPE, CONTEXT, type LocalFixture, localApi } from '../fixtures/local-api.js';
import { startApiServer, type ApiServerFixture, type ApiServerOptions } from '../fixtures/api-server.js';
import type { Exchange } from './exchange.js';

const ADA = { authorization: 'Bearer ada-token' };
const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';

let server: ApiServerFixture | undefined;
afterEach(async () => server?.close());

async function start(options: ApiServerOptions = {}): Promise<ApiServerFixture> {
  server = await startApiServer(options);
  return server;
}

async function call(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...ADA, 'content-type': 'application/json', ...init.headers };
  return fetch(`${server?.url}${path}`, { method, ...init, headers });
}

/** A request as its bytes, for what no client sends. */
async function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(server?.url ?? '');
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.end(text));
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}

/** An API whose creation never ends. */
function stuck(): LocalFixture {
  const fixture = localApi();
  fixture.api.create = () => new Promise(() => undefined);
  fixture.api.get = () => new Promise(() => undefined);
  return fixture;
}

describe('headers of every answer', () => {
  it.each([
    { name: 'an object list', path: CLUSTERS, code: 200 },
    { name: 'a version', path: '/version', code: 200 },
    { name: 'a failure', path: '/nowhere', code: 404 },
    { name: 'no credentials', path: CLUSTERS, code: 401, headers: { authorization: '' } },
  ])('of $name tell a browser to keep, run, frame and sniff nothing', async ({ path, code, headers }) => {
    await start();
    const response = await call('GET', path, headers ? { headers } : {});
    expect(response.status).toBe(code);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache, private',
    });
    for (const absent of ['server', 'x-powered-by', 'access-control-allow-origin', 'strict-transport-security']) {
      expect(response.headers.has(absent)).toBe(false);
    }
  });

  it('ask for TLS where there is TLS', async () => {
    const { url, ca } = await start({ tls: true });
    const header = await new Promise((resolve, reject) => {
      httpsRequest(`${url}/version`, { ca }, (response) => {
        response.resume();
        resolve(response.headers['strict-transport-security']);
      })
        .on('error', reject)
        .end();
    });
    expect(header).toBe('max-age=31536000');
  });

  it('allow no other origin, not even when it asks beforehand', async () => {
    await start();
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' };
    const response = await call('OPTIONS', CLUSTERS, { headers });
    expect(response.status).toBe(405);
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('methods that are none of the API’s', () => {
  it.each(['HEAD', 'OPTIONS', 'LINK', 'PROPFIND'])('%s is refused as Kubernetes does', async (method) => {
    await start();
    const response = await call(method, CLUSTERS);
    expect(response.status).toBe(405);
  });

  it('TRACE is refused and echoes nothing', async () => {
    await start();
    const answer = await raw(
      `TRACE ${CLUSTERS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ada-token\r\nconnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 405 /);
    expect(answer).not.toContain('ada-token');
  });
});

describe('paths that are none', () => {
  it.each(['//', '//evil.example/x', '/%', '/apis/%00', '/apis//x', '/..%2f..', '*', 'http://[', '/\\x', '/\\['])(
    '%j leads nowhere, and nothing breaks',
    async (path) => {
      await start();
      const answer = await raw(
        `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ada-token\r\nconnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 40[04] /);
      expect(server?.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});

describe('names of nothing but dots', () => {
  const NAMES = ['.', '..', '%2e', '%2E%2e', '.%2e', './', '..?x=', 'demo/..', './status', '\\..'];

  it.each(NAMES)('are of nothing, and not of what is above: %s', async (name) => {
    await start();
    await server?.api.create(CLUSTER_TYPE, aCluster(), {}, CONTEXT);
    const head = 'host: x\r\nauthorization: Bearer ada-token\r\nconnection: close\r\n\r\n';
    expect(await raw(`DELETE ${CLUSTERS}/${name} HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1.1 404 /);
    expect((await call('GET', `${CLUSTERS}/demo`)).status).toBe(200);
  });

  it('are no way into what anybody may read, either', async () => {
    await start();
    expect(await raw('GET /apis/../version HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 401 /,
    );
  });
});

describe('the deadline', () => {
  it.each([
    { name: 'a write', method: 'POST', path: CLUSTERS, want: /whether it was carried out is unknown/ },
    { name: 'a read', method: 'GET', path: `${CLUSTERS}/demo`, want: /took too long, try again/ },
  ])('ends $name with the truth', async ({ method, path, want }) => {
    await start({ fixture: stuck(), deadlineMs: 30 });
    const response = await call(method, path, method === 'POST' ? { body: JSON.stringify(aCluster()) } : {});
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({
      kind: 'Status',
      reason: 'Timeout',
      message: expect.stringMatching(want),
    });
  });

  it('is not for watches', async () => {
    await start({ deadlineMs: 30 });
    const response = await call('GET', `${CLUSTERS}?watch=true&timeoutSeconds=1`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  it.each([`${CLUSTERS}?follow=true`, `${CLUSTERS}/demo?follow=1`, `${CLUSTERS}/demo/status?follow=1`])(
    'is for what only claims to follow something: %s',
    async (path) => {
      const fixture = localApi();
      fixture.api.list = () => new Promise(() => undefined);
      fixture.api.get = () => new Promise(() => undefined);
      await start({ fixture, deadlineMs: 30 });
      expect((await call('GET', path)).status).toBe(504);
    },
  );

  it('is not for watches of the embedder’s own', async () => {
    const matches = (_method: string, path: string): boolean => path === '/mine';
    const handle = async ({ respond, isFollowing }: Exchange): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      respond.text(200, String(isFollowing), 'text/plain');
    };
    await start({ deadlineMs: 30, extraRoutes: [{ matches, handle, isWatch: (query) => query.has('watch') }] });
    expect(await (await call('GET', '/mine?watch=true')).text()).toBe('true');
    expect((await call('GET', '/mine?follow=true')).status).toBe(504);
  });
});

describe('where a request came from', () => {
  const trustProxy = (address: string): boolean => ['127.0.0.1', '10.0.0.1'].includes(address);

  it.each([
    { name: 'the peer itself', trust: false, forwarded: '192.0.2.7', want: '127.0.0.1' },
    { name: 'what the proxy says', trust: true, forwarded: '192.0.2.7', want: '192.0.2.7' },
    { name: 'not what the client made up', trust: true, forwarded: '6.6.6.6, 192.0.2.7', want: '192.0.2.7' },
    { name: 'behind two proxies', trust: true, forwarded: '192.0.2.7, 10.0.0.1', want: '192.0.2.7' },
    { name: 'the proxy when it says nothing', trust: true, forwarded: '', want: '127.0.0.1' },
  ])('is $name', async ({ trust, forwarded, want }) => {
    const seen: Exchange[] = [];
    await start({ onRequest: (exchange) => void seen.push(exchange), ...(trust ? { trustProxy } : {}) });
    await call('GET', '/version', { headers: { 'x-forwarded-for': forwarded, 'user-agent': 'x'.repeat(1000) } });
    expect(seen[0]?.context.origin).toEqual({ address: want, userAgent: 'x'.repeat(256) });
  });
});

describe('onFailure', () => {
  it('is told before the client, of what authenticated callers are refused', async () => {
    const told: unknown[] = [];
    await start({
      onFailure: async ({ context, method }, { code }) => void told.push([context.caller.user, method, code]),
    });
    await call('GET', CLUSTERS, { headers: { authorization: 'Bearer nobody' } });
    await call('DELETE', `${CLUSTERS}/demo`, { headers: { authorization: 'Bearer vera-token' } });
    await call('POST', CLUSTERS, { body: '{' });
    expect(told).toEqual([
      ['vera', 'DELETE', 403],
      ['ada', 'POST', 400],
    ]);
  });
});

describe('bodies', () => {
  const NAMES = { constructor: 'acme', toString: 'a', hasOwnProperty: 'b', valueOf: 'c' };

  it.each([
    { name: 'an object', method: 'POST', path: CLUSTERS, limit: 3 * 1024 * 1024 },
    { name: 'the options of a delete', method: 'DELETE', path: `${CLUSTERS}/demo`, limit: 64 * 1024 },
    {
      name: 'a review',
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      limit: 64 * 1024,
    },
  ])('of $name may be so large, and no larger', async ({ method, path, limit }) => {
    await start();
    const response = await call(method, path, { body: `{"a": "${'x'.repeat(limit)}"}` });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      reason: 'RequestEntityTooLarge',
      message: expect.stringContaining(String(limit)),
    });
    expect((await call(method, path, { body: `{"a": "${'x'.repeat(limit - 100)}"}` })).status).not.toBe(413);
  });

  it('that are no UTF-8 are refused', async () => {
    await start();
    const response = await call('POST', CLUSTERS, { body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: 'the request body is not valid UTF-8' });
  });

  it.each([
    { name: 'a create', method: 'POST', type: 'application/json', body: '{"metadata":{"labels":{"__proto__":"x"}}}' },
    {
      name: 'a merge patch',
      method: 'PATCH',
      type: 'application/merge-patch+json',
      body: '{"__proto__":{"isAdmin":true}}',
    },
    {
      name: 'a JSON patch',
      method: 'PATCH',
      type: 'application/json-patch+json',
      body: '[{"op":"add","path":"/__proto__/isAdmin","value":true}]',
    },
    {
      name: 'a JSON patch of a constructor',
      method: 'PATCH',
      type: 'application/json-patch+json',
      body: '[{"op":"add","path":"/constructor/prototype/isAdmin","value":true}]',
    },
    {
      name: 'an apply',
      method: 'PATCH',
      type: 'application/apply-patch+yaml',
      body: 'metadata: {labels: {__proto__: x}}',
    },
  ])('of $name reach no prototype', async ({ method, type, body }) => {
    await start();
    await call('POST', CLUSTERS, { body: JSON.stringify(aCluster()) });
    const path = method === 'POST' ? CLUSTERS : `${CLUSTERS}/demo?fieldManager=x`;
    const response = await call(method, path, { body, headers: { 'content-type': type } });
    expect([400, 422]).toContain(response.status);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
  });

  it.each(['application/apply-patch+yaml', 'application/merge-patch+json'])(
    'may name things as objects name their own: %s',
    async (type) => {
      await start();
      const document = { ...aCluster(), metadata: { ...aCluster().metadata, labels: NAMES } };
      if (type.includes('merge')) await call('POST', CLUSTERS, { body: JSON.stringify(aCluster()) });
      for (let again = 0; again < 2; again += 1) {
        const response = await call('PATCH', `${CLUSTERS}/demo?fieldManager=x`, {
          body: JSON.stringify(document),
          headers: { 'content-type': type },
        });
        expect([200, 201]).toContain(response.status);
        expect(await response.json()).toMatchObject({ metadata: { labels: NAMES } });
      }
      const selected = await call('GET', `${CLUSTERS}?labelSelector=constructor%3Dacme`);
      expect(((await selected.json()) as { items: unknown[] }).items).toHaveLength(1);
    },
  );

  it('say nothing of what went wrong inside', async () => {
    const fixture = localApi();
    fixture.api.get = () => Promise.reject(new Error('password=hunter2 at /srv/crate/store.ts:12'));
    await start({ fixture });
    const response = await call('GET', `${CLUSTERS}/demo`);
    expect(response.status).toBe(503);
    expect(await response.text()).not.toMatch(/hunter2|store\.ts/);
  });

  it('of the same kind of refusal are the same whoever asks and whatever is there', async () => {
    await start();
    const answers = await Promise.all(
      ['', 'Bearer ', 'Bearer nobody', 'Basic YWRhOmFkYQ==', 'Bearer ada-tokem'].map(async (authorization) => {
        const response = await call('GET', `${CLUSTERS}/demo`, { headers: { authorization } });
        const { details, ...body } = (await response.json()) as { details: { traceId?: string } };
        const { traceId: _, ...told } = details;
        return [response.status, body, told, response.headers.get('www-authenticate')];
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.[0]).toBe(401);
  });
});
