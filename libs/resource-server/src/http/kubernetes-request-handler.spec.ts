import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { invariant, PlatformError } from '@crate/errors';
import { mergePatch } from '../patch/merge-patch.js';
import { at } from '../fixtures/at.js';
import { CONFIG_MAP } from '../fixtures/kinds.js';
import { aCluster, aConfigMap, CLUSTERS, CONTEXT, localApi, refTo } from '../fixtures/local-api.js';
import { type ApiServerFixture, type ApiServerOptions, startApiServer } from '../fixtures/api-server.js';
import type { ExtraRoute } from './kubernetes-request-handler.js';

const CLUSTER_PATH = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';
const MAP_PATH = '/api/v1/namespaces/team-a/configmaps';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

let server: ApiServerFixture;
beforeEach(() => start());
afterEach(() => server.close());

async function start(options: ApiServerOptions = {}): Promise<void> {
  server = await startApiServer(options);
}

async function restart(options: ApiServerOptions): Promise<void> {
  await server.close();
  await start(options);
}

interface Answer {
  readonly code: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

async function call(
  method: string,
  path: string,
  init: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { body, headers = {} } = init;
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: 'Bearer ada-token', 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    code: response.status,
    headers: response.headers,
    text,
    body: isJson ? (JSON.parse(text) as unknown) : undefined,
  };
}

function post(path: string, body: unknown, type = 'application/json'): Promise<Answer> {
  return call('POST', path, { body, headers: { 'content-type': type } });
}

describe('verbs', () => {
  it('create, get, replace, patch, list and delete', async () => {
    const created = await post(CLUSTER_PATH, aCluster());
    expect(created.code).toBe(201);
    expect((await call('GET', `${CLUSTER_PATH}/demo`)).body).toEqual(created.body);

    const paused = mergePatch(created.body, { spec: { paused: true } });
    const replaced = await call('PUT', `${CLUSTER_PATH}/demo`, { body: paused });
    expect([replaced.code, at(replaced.body, '.spec.paused')]).toEqual([200, true]);

    const headers = { 'content-type': 'application/merge-patch+json' };
    const patched = await call('PATCH', `${CLUSTER_PATH}/demo`, { body: { spec: { paused: null } }, headers });
    expect([patched.code, at(patched.body, '.spec.paused')]).toEqual([200, false]);

    const listed = await call('GET', '/apis/lifecycle.crate.dev/v1alpha1/clusters?limit=500');
    expect(listed.body).toMatchObject({ kind: 'ClusterList', items: [{ metadata: { name: 'demo' } }] });

    const deleted = await call('DELETE', `${CLUSTER_PATH}/demo`, { body: { propagationPolicy: 'Background' } });
    expect(deleted.body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'demo', kind: 'clusters' },
    });
    expect((await call('GET', `${CLUSTER_PATH}/demo`)).body).toMatchObject({ code: 404, reason: 'NotFound' });
  });

  it('apply creates with 201 and updates with 200', async () => {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const path = `${CLUSTER_PATH}/demo?fieldManager=ci&force=true`;
    expect((await call('PATCH', path, { body: aCluster(), headers })).code).toBe(201);
    expect((await call('PATCH', path, { body: aCluster(), headers })).code).toBe(200);
  });

  it('apply needs a stated field manager', async () => {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const { code, body } = await call('PATCH', `${CLUSTER_PATH}/demo`, { body: aCluster(), headers });
    expect([code, at(body, '.details.causes[0].field')]).toEqual([422, 'fieldManager']);
  });

  it('take the field manager from the client when none is stated', async () => {
    await call('POST', MAP_PATH, {
      body: aConfigMap('m', { a: '1' }),
      headers: { 'user-agent': 'my-tool/1.2 (linux)' },
    });
    const { body } = await call('GET', `${MAP_PATH}/m`);
    expect(at(body, '.metadata.managedFields[0].manager')).toBe('my-tool');
  });

  it('take YAML', async () => {
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: "1"}\n';
    const { code, body } = await post(MAP_PATH, yaml, 'application/yaml');
    expect([code, at(body, '.metadata.namespace'), at(body, '.data')]).toEqual([201, 'team-a', { a: '1' }]);
  });

  it('give the object back while finalizers hold it', async () => {
    const held = aConfigMap('m', {});
    held.metadata.finalizers = ['a.b/c'];
    await post(MAP_PATH, held);
    const { body } = await call('DELETE', `${MAP_PATH}/m`);
    expect(body).toMatchObject({ kind: 'ConfigMap', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
  });

  it('delete collections', async () => {
    for (const name of ['a', 'b']) await post(MAP_PATH, aConfigMap(name, {}));
    const { body } = await call('DELETE', `${MAP_PATH}?fieldSelector=metadata.name%3Da`);
    expect(at(body, '.items')).toHaveLength(1);
    expect(at((await call('GET', MAP_PATH)).body, '.items')).toHaveLength(1);
  });

  it('do nothing in a dry run', async () => {
    expect((await post(`${CLUSTER_PATH}?dryRun=All`, aCluster())).code).toBe(201);
    expect((await call('GET', `${CLUSTER_PATH}/demo`)).code).toBe(404);
  });

  it('read and write the status apart', async () => {
    await post(CLUSTER_PATH, aCluster());
    const headers = { 'content-type': 'application/merge-patch+json' };
    await call('PATCH', `${CLUSTER_PATH}/demo/status`, { body: { status: { version: 'v1' } }, headers });
    expect(at((await call('GET', `${CLUSTER_PATH}/demo/status`)).body, '.status')).toEqual({ version: 'v1' });
  });

  it('read other subresources as they are', async () => {
    await post(CLUSTER_PATH, aCluster());
    const { headers, text } = await call('GET', `${CLUSTER_PATH}/demo/kubeconfig`);
    expect([headers.get('content-type'), text]).toEqual(['application/yaml', 'apiVersion: v1\nkind: Config\n']);
    expect((await call('GET', `${CLUSTER_PATH}/demo/nothing`)).code).toBe(404);
    expect((await call('PUT', `${CLUSTER_PATH}/demo/kubeconfig`, { body: aCluster() })).code).toBe(405);
  });

  it('scale', async () => {
    const path = '/apis/apps/v1/namespaces/team-a/deployments';
    const metadata = { name: 'web', namespace: 'team-a' };
    const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } } };
    await post(path, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec });
    const scale = (await call('GET', `${path}/web/scale`)).body;
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 2 }, status: { selector: 'app=web' } });
    const five = await call('PUT', `${path}/web/scale`, { body: mergePatch(scale, { spec: { replicas: 5 } }) });
    expect(at(five.body, '.spec.replicas')).toBe(5);
    expect((await call('PUT', `${path}/web/scale`, { body: scale })).body).toMatchObject({ code: 409 });
    expect((await call('PUT', `${path}/web/scale`, { body: { spec: {} } })).code).toBe(400);
  });

  it('pass warnings on', async () => {
    const admit = [() => Promise.resolve({ warnings: ['"quoted" – and\nlong'] })];
    await restart({ fixture: localApi({ ...CONFIG_MAP, admit }) });
    const { headers } = await post(MAP_PATH, aConfigMap('m', {}));
    expect(headers.get('warning')).toBe('299 - "\\"quoted\\" and long"');
  });
});

describe('errors', () => {
  it.each([
    { name: 'an unknown path', method: 'GET', path: '/nope', code: 404 },
    { name: 'an unknown group', method: 'GET', path: '/apis/nope.dev/v1/things', code: 404 },
    { name: 'an empty segment', method: 'GET', path: '/apis//v1/things', code: 404 },
    { name: 'a broken escape', method: 'GET', path: '/api/v1/namespaces/%zz/pods', code: 404 },
    { name: 'an object across namespaces', method: 'GET', path: '/api/v1/configmaps/m', code: 404 },
    { name: 'a namespace of a cluster-scoped kind', method: 'GET', path: '/api/v1/namespaces/x/nodes', code: 404 },
    { name: 'a path that is too deep', method: 'GET', path: `${MAP_PATH}/a/b/c`, code: 404 },
    { name: 'a method that no path takes', method: 'OPTIONS', path: MAP_PATH, code: 405 },
    { name: 'POST to an object', method: 'POST', path: `${MAP_PATH}/m`, code: 405 },
    { name: 'PUT to a collection', method: 'PUT', path: MAP_PATH, code: 405 },
    { name: 'POST across namespaces', method: 'POST', path: '/api/v1/configmaps', code: 405 },
    { name: 'DELETE across namespaces', method: 'DELETE', path: '/api/v1/configmaps', code: 405 },
    { name: 'a bad limit', method: 'GET', path: `${MAP_PATH}?limit=x`, code: 400 },
    { name: 'a bad includeObject', method: 'GET', path: `${MAP_PATH}?includeObject=x`, code: 400 },
    { name: 'a bad fieldValidation', method: 'POST', path: `${MAP_PATH}?fieldValidation=x`, code: 422 },
    { name: 'a bad dryRun', method: 'DELETE', path: `${MAP_PATH}/m?dryRun=x`, code: 422 },
    { name: 'a bad propagationPolicy', method: 'DELETE', path: `${MAP_PATH}/m?propagationPolicy=x`, code: 422 },
    { name: 'a bad label selector', method: 'GET', path: `${MAP_PATH}?labelSelector=%21%21`, code: 400 },
  ])('answer $name with $code', async ({ method, path, code }) => {
    const body = method === 'POST' ? { body: aConfigMap('m', {}) } : {};
    const answer = await call(method, path, body);
    expect(answer.body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code });
    expect(answer.code).toBe(code);
  });

  it.each([
    { name: 'JSON that is none', body: '{', type: 'application/json', code: 400 },
    { name: 'YAML that is none', body: 'a: [', type: 'application/yaml', code: 400 },
    { name: 'no object', body: '[]', type: 'application/json', code: 400 },
    { name: 'nothing', body: '', type: 'application/json', code: 400 },
    { name: 'another namespace', body: '{"metadata":{"namespace":"x"}}', type: 'application/json', code: 400 },
    { name: 'another media type', body: 'x', type: 'application/cbor', code: 415 },
    { name: 'too much', body: 'x'.repeat(3 * 1024 * 1024 + 1), type: 'application/json', code: 413 },
  ])('answer a body that is $name with $code', async ({ body, type, code }) => {
    expect((await post(MAP_PATH, body, type)).body).toMatchObject({ kind: 'Status', code });
  });

  it('refuses YAML that would grow without bound', async () => {
    const lines = [
      'a0: &a0 [x, x]',
      ...Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`),
    ];
    expect((await post(MAP_PATH, lines.join('\n'), 'application/yaml')).code).toBe(400);
  });

  it('answer 406 when nothing is acceptable', async () => {
    const { body } = await call('GET', MAP_PATH, { headers: { accept: 'text/html' } });
    expect(body).toMatchObject({ code: 406, reason: 'NotAcceptable' });
  });

  it('answer 415 to strategic merge patches of custom resources only', async () => {
    const headers = { 'content-type': 'application/strategic-merge-patch+json' };
    const custom = await call('PATCH', `${CLUSTER_PATH}/demo`, { body: {}, headers });
    expect(custom.body).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
    await post(MAP_PATH, aConfigMap('m', { a: '1' }));
    const core = await call('PATCH', `${MAP_PATH}/m`, { body: { data: { b: '2' } }, headers });
    expect(at(core.body, '.data')).toEqual({ a: '1', b: '2' });
  });

  it('answer 401 without a valid token', async () => {
    const { code, headers, body } = await call('GET', MAP_PATH, { headers: { authorization: 'Bearer nope' } });
    expect([code, headers.get('www-authenticate'), at(body, '.reason')]).toEqual([401, 'Bearer', 'Unauthorized']);
  });

  it("answer 403 in Kubernetes' words", async () => {
    const { body } = await call('DELETE', `${CLUSTER_PATH}/demo`, { headers: { authorization: 'Bearer vera-token' } });
    expect(body).toMatchObject({
      code: 403,
      message:
        'clusters.lifecycle.crate.dev "demo" is forbidden: User "vera" cannot delete resource "clusters" ' +
        'in API group "lifecycle.crate.dev" in the namespace "team-a"',
    });
  });

  it('never show what is inside', async () => {
    const admit = [() => Promise.reject(invariant('secret detail')), () => Promise.reject(new Error('secret detail'))];
    for (const hook of admit) {
      await restart({ fixture: localApi({ ...CONFIG_MAP, admit: [hook] }) });
      const { text, code } = await post(MAP_PATH, aConfigMap('m', {}));
      expect(code).toBeGreaterThanOrEqual(500);
      expect(text).not.toContain('secret detail');
      expect(server.logger.at('error')).toHaveLength(1);
    }
  });

  it('tell when to try again', async () => {
    const busy = new PlatformError('TooManyRequests', 'Slow down', { details: { retryAfterMs: 1500 } });
    await restart({ fixture: localApi({ ...CONFIG_MAP, admit: [() => Promise.reject(busy)] }) });
    const { code, headers } = await post(MAP_PATH, aConfigMap('m', {}));
    expect([code, headers.get('retry-after')]).toEqual([429, '2']);
  });

  it('hide that a namespace is missing where there are none', async () => {
    const fixture = localApi();
    fixture.kinds.remove({ group: '', version: 'v1', plural: 'namespaces' });
    await restart({ fixture });
    expect((await call('GET', '/api/v1/namespaces/team-a')).code).toBe(403);
  });
});

describe('forms', () => {
  beforeEach(async () => void (await post(CLUSTER_PATH, aCluster())));

  it('as a table', async () => {
    const { body } = await call('GET', CLUSTER_PATH, { headers: { accept: TABLE } });
    expect(body).toMatchObject({
      kind: 'Table',
      metadata: { resourceVersion: '1' },
      rows: [{ cells: ['demo', null, null, 'v1.31.4', null, 'us-east-1', null, null, '0s'] }],
    });
    const one = await call('GET', `${CLUSTER_PATH}/demo?includeObject=Object`, { headers: { accept: TABLE } });
    expect(at(one.body, '.rows[0].object')).toMatchObject({ kind: 'Cluster', spec: { region: 'us-east-1' } });
  });

  it('as metadata alone', async () => {
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    expect((await call('GET', `${CLUSTER_PATH}/demo`, { headers: { accept } })).body).toMatchObject({
      kind: 'PartialObjectMetadata',
      metadata: { name: 'demo' },
    });
    const list = accept.replace('Metadata;', 'MetadataList;');
    expect((await call('GET', CLUSTER_PATH, { headers: { accept: list } })).body).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ kind: 'PartialObjectMetadata' }],
    });
  });

  it('as YAML', async () => {
    const { headers, text } = await call('GET', `${CLUSTER_PATH}/demo`, { headers: { accept: 'application/yaml' } });
    expect(headers.get('content-type')).toBe('application/yaml');
    expect(text).toMatch(/^kind: Cluster$/m);
  });

  it('as pretty JSON', async () => {
    expect((await call('GET', `${CLUSTER_PATH}/demo?pretty=true`)).text).toContain('\n  "kind": "Cluster"');
  });

  it('in pages', async () => {
    await post(CLUSTER_PATH, aCluster('other'));
    const first = (await call('GET', `${CLUSTER_PATH}?limit=1`)).body;
    const token = encodeURIComponent(String(at(first, '.metadata.continue')));
    const second = (await call('GET', `${CLUSTER_PATH}?limit=1&continue=${token}`)).body;
    expect([first, second].map((page) => at(page, '.items[0].metadata.name'))).toEqual(['demo', 'other']);
  });
});

describe('tracing', () => {
  it('goes on with the trace of the client', async () => {
    const traceparent = '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01';
    const { headers } = await call('GET', '/version', { headers: { traceparent } });
    expect(headers.get('x-trace-id')).toBe('0123456789abcdef0123456789abcdef');
  });

  it('begins one otherwise', async () => {
    const { headers } = await call('GET', '/nope', { headers: { traceparent: 'nonsense' } });
    expect(headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('paths of their own', () => {
  const route = (path: string, isPublic: boolean): ExtraRoute => ({
    isPublic,
    matches: (method, asked) => method === 'GET' && asked === path,
    handle: ({ respond, context }) => {
      respond.text(200, context.caller.user, 'text/plain');
      return Promise.resolve();
    },
  });

  it('are asked first, with or without authentication', async () => {
    await restart({ extraRoutes: [route('/metrics', true), route('/mine', false), route('/healthz', true)] });
    const headers = { authorization: '' };
    expect((await call('GET', '/metrics', { headers })).text).toBe('system:anonymous');
    expect((await call('GET', '/mine')).text).toBe('ada');
    expect((await call('GET', '/mine', { headers })).code).toBe(401);
    expect((await call('GET', '/healthz', { headers })).text).toBe('system:anonymous');
  });

  it.each(['/healthz', '/livez', '/readyz'])('leave %s to the server by default', async (path) => {
    expect((await call('GET', path, { headers: { authorization: '' } })).text).toBe('ok');
  });
});

describe('watch', () => {
  async function* lines(response: Response): AsyncGenerator<unknown, undefined> {
    let buffered = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      buffered += decoder.decode(chunk as Uint8Array, { stream: true });
      const parts = buffered.split('\n');
      buffered = parts.pop() ?? '';
      for (const line of parts) yield JSON.parse(line) as unknown;
    }
    return undefined;
  }

  function open(query: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: 'Bearer ada-token', ...(init.headers as Record<string, string>) };
    return fetch(`${server.url}${CLUSTER_PATH}?watch=true&${query}`, { ...init, headers });
  }

  it('sends one change a line', async () => {
    const created = await post(CLUSTER_PATH, aCluster());
    const events = lines(await open(`resourceVersion=${String(at(created.body, '.metadata.resourceVersion'))}`));
    await post(CLUSTER_PATH, aCluster('next'));
    await call('DELETE', `${CLUSTER_PATH}/next`);
    expect((await events.next()).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'next' } } });
    expect((await events.next()).value).toMatchObject({ type: 'DELETED' });
    await events.return(undefined);
  });

  it('sends tables, the columns once', async () => {
    await post(CLUSTER_PATH, aCluster());
    await post(CLUSTER_PATH, aCluster('other'));
    const events = lines(await open('', { headers: { accept: TABLE } }));
    const [first, second] = [(await events.next()).value, (await events.next()).value];
    expect(at(first, '.object.columnDefinitions[0].name')).toBe('Name');
    expect(at(second, '.object')).toMatchObject({ kind: 'Table', columnDefinitions: [] });
    expect(at(second, '.object.rows[0].cells[0]')).toBe('other');
    await events.return(undefined);
  });

  it('ends the initial events with a bookmark when asked to', async () => {
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const events = lines(await open(query));
    expect((await events.next()).value).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
    await events.return(undefined);
    expect((await open('sendInitialEvents=true')).status).toBe(422);
  });

  it('reports an expired revision as an event', async () => {
    for (const name of ['a', 'b', 'c']) await post(CLUSTER_PATH, aCluster(name));
    await server.store.compact(1);
    const response = await open('resourceVersion=1');
    expect(response.status).toBe(200);
    const seen = [];
    for await (const event of lines(response)) seen.push(event);
    expect(seen).toEqual([
      { type: 'ERROR', object: expect.objectContaining({ kind: 'Status', code: 410, reason: 'Expired' }) as unknown },
    ]);
  });

  it('ends after its time', async () => {
    expect(await (await open('timeoutSeconds=1')).text()).toBe('');
  });

  it('ends when the server closes', async () => {
    const response = await open('');
    server.handler.close();
    expect(await response.text()).toBe('');
  });

  it('ends when the client goes', async () => {
    let ended = false;
    const { api } = server;
    const watch = api.watch.bind(api);
    api.watch = async function* (...input) {
      try {
        yield* watch(...input);
      } finally {
        ended = true;
      }
    };
    const abort = new AbortController();
    await open('', { signal: abort.signal });
    abort.abort();
    while (!ended) await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(true);
  });

  it('takes no more events than a slow client reads', async () => {
    let taken = 0;
    const payload = 'x'.repeat(100_000);
    server.api.watch = async function* () {
      for (; taken < 10_000; taken += 1) {
        yield await Promise.resolve({ type: 'ADDED', object: { ...aCluster(), payload } } as never);
      }
    };
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1').pause();
    await once(socket, 'connect');
    socket.write(`GET ${CLUSTER_PATH}?watch=true HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ada-token\r\n\r\n`);
    let before = -1;
    // The number settles once the buffers of the kernel are full; a server without backpressure would reach the end.
    while (taken === 0 || taken !== before) {
      before = taken;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(taken).toBeLessThan(1_000);
    socket.destroy();
  });

  it('does not exist for objects that are not served', async () => {
    server.kinds.remove(CLUSTERS);
    expect((await open('')).status).toBe(404);
  });

  it('sees one object by its name', async () => {
    await post(CLUSTER_PATH, aCluster());
    await post(CLUSTER_PATH, aCluster('other'));
    const headers = { authorization: 'Bearer ada-token' };
    const events = lines(await fetch(`${server.url}${CLUSTER_PATH}/other?watch=true`, { headers }));
    expect((await events.next()).value).toMatchObject({ object: { metadata: { name: 'other' } } });
    await events.return(undefined);
    expect(await server.api.get(refTo(CLUSTERS, 'demo'), CONTEXT)).toBeDefined();
  });
});
