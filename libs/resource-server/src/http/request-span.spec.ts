import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InMemoryTracer, type RecordedSpan } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { CLUSTER_PATH, HttpBench } from '../fixtures/http-bench.js';
import { localApi } from '../fixtures/local-api.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const CLUSTERS_ROUTE = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/{namespace}/clusters';

const bench = new HttpBench();
const { call } = bench;
let tracer: InMemoryTracer;
beforeEach(async () => {
  tracer = new InMemoryTracer();
  const shop = {
    matches: (_: string, path: string) => path.startsWith('/shop/'),
    handle: () => Promise.reject(new Error()),
  };
  await bench.start({ tracer, extraRoutes: [shop] });
});
afterEach(() => bench.stop());

/** A client has its answer before the request's span is ended. */
async function onlySpan(): Promise<RecordedSpan> {
  return eventually(() => {
    expect(tracer.spans.map(({ isEnded }) => isEnded)).toEqual([true]);
    return tracer.spans[0] as RecordedSpan;
  });
}

describe('a request', () => {
  it.each([
    { name: 'a list', method: 'GET', path: CLUSTER_PATH, route: CLUSTERS_ROUTE, code: 200 },
    { name: 'an object', method: 'GET', path: `${CLUSTER_PATH}/demo`, route: `${CLUSTERS_ROUTE}/{name}`, code: 404 },
    {
      name: 'a subresource',
      method: 'GET',
      path: `${CLUSTER_PATH}/demo/x`,
      route: `${CLUSTERS_ROUTE}/{name}/{subresource}`,
      code: 404,
    },
    { name: 'discovery', method: 'GET', path: '/apis', route: '/apis', code: 200 },
    { name: 'a path of the embedder', method: 'GET', path: '/shop/a-name', route: '/shop', code: 503 },
  ])('for $name is named by its route, without names', async ({ method, path, route, code }) => {
    await call(method, path);
    const span = await onlySpan();
    expect(span.name).toBe(`${method} ${route}`);
    expect(span.kind).toBe('server');
    expect(span.attributes).toMatchObject({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': code,
      'url.path': path,
    });
  });

  it('for a path that nobody serves has no route, whatever people ask for', async () => {
    await call('GET', '/apis/nope.dev/v1/things');
    const span = await onlySpan();
    expect(span.name).toBe('GET');
    expect(span.attributes).not.toHaveProperty('http.route');
  });

  it('goes on in the trace of the client', async () => {
    const answer = await call('GET', CLUSTER_PATH, { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } });
    expect(answer.headers.get('x-trace-id')).toBe(TRACE);
    expect(await onlySpan()).toMatchObject({ parentSpanId: PARENT, place: { traceId: TRACE } });
  });

  it.each([
    { name: 'a path that leads nowhere', path: '/nope', code: 404, isFailed: false },
    { name: 'a refused query', path: `${CLUSTER_PATH}?limit=x`, code: 400, isFailed: false },
    { name: 'a failure of ours', path: '/shop/x', code: 503, isFailed: true },
  ])('that ends with $name tells its trace to the client', async ({ path, code, isFailed }) => {
    const answer = await call('GET', path);
    const span = await onlySpan();
    expect(answer.body).toMatchObject({ code, details: { traceId: span.place.traceId } });
    expect(answer.headers.get('x-trace-id')).toBe(span.place.traceId);
    expect(span.error !== undefined).toBe(isFailed);
  });

  it('says in text what trace to ask for when the client is not to blame', async () => {
    const answer = await call('GET', '/shop/x', { headers: { accept: 'text/plain' } });
    expect(answer.text).toContain(`trace ${(await onlySpan()).place.traceId}`);
    const wrong = await call('GET', `${CLUSTER_PATH}?limit=x`, { headers: { accept: 'text/plain' } });
    expect(wrong.text).not.toContain('trace');
  });
});

describe('no span', () => {
  it.each(['/healthz', '/readyz', '/version'])('is made of %s', async (path) => {
    const answer = await call('GET', path);
    expect(answer.code).toBe(200);
    expect(answer.headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/);
    expect(tracer.spans).toEqual([]);
  });

  it('is made of a watch, whatever its client records', async () => {
    const response = await bench.watch('timeoutSeconds=1', { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } });
    await response.text();
    expect(response.headers.get('x-trace-id')).toBe(TRACE);
    expect(tracer.spans).toEqual([]);
  });

  it('is made without a tracer, and errors tell their trace all the same', async () => {
    await bench.restart({ fixture: localApi() });
    const answer = await call('GET', '/nope', { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } });
    expect(answer.body).toMatchObject({ details: { traceId: TRACE } });
  });
});
