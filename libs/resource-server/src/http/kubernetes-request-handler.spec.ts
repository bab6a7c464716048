import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpBench } from '../fixtures/http-bench.js';
import type { ExtraRoute } from './kubernetes-request-handler.js';

const bench = new HttpBench();
const { call } = bench;
beforeEach(() => bench.start());
afterEach(() => bench.stop());

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
    await bench.restart({ extraRoutes: [route('/metrics', true), route('/mine', false), route('/healthz', true)] });
    const headers = { authorization: '' };
    expect((await call('GET', '/metrics', { headers })).text).toBe('system:anonymous');
    expect((await call('GET', '/mine')).text).toBe('ada');
    expect((await call('GET', '/mine', { headers })).code).toBe(401);
    expect((await call('GET', '/healthz', { headers })).text).toBe('system:anonymous');
  });

  it('knows its version with and without a slash at the end', async () => {
    for (const path of ['/version', '/version/']) expect((await call('GET', path)).body).toMatchObject({ major: '1' });
  });

  it.each(['/healthz', '/livez', '/readyz'])('leave %s to the server by default', async (path) => {
    expect((await call('GET', path, { headers: { authorization: '' } })).text).toBe('ok');
  });
});
