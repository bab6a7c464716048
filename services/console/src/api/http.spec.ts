import { afterEach, expect, it, jest } from '@jest/globals';
import { apiFetch, apiJson, apiText, onUnreachable } from './http.js';

const original = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = original;
  jest.restoreAllMocks();
});

/** A network that swallows what is sent. */
function silent(): void {
  globalThis.fetch = (_input, { signal } = {}) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
}

it.each([
  { what: 'a write', ask: () => apiFetch('/apis', { method: 'POST', body: {} }) },
  {
    what: 'a write that is not wanted any more some time',
    ask: () => apiFetch('/apis', { method: 'POST', body: {}, signal: new AbortController().signal }),
  },
  { what: 'a read', ask: () => apiJson('/apis') },
  { what: 'a read that is given up some time', ask: () => apiJson('/apis', { signal: new AbortController().signal }) },
])('gives up $what that nobody answers: whoever waits for it is told', async ({ ask }) => {
  silent();
  const limit = new AbortController();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  const asked = ask();
  // Longer than the platform takes at most to say that it could not.
  expect(timeout.mock.calls[0]?.[0]).toBeGreaterThan(60_000);
  limit.abort(new DOMException('signal timed out', 'TimeoutError'));
  await expect(asked).rejects.toMatchObject({ status: 0, reason: 'Unreachable' });
});

it.each([
  { what: 'JSON', read: () => apiJson('/apis', { method: 'POST', body: {} }) },
  { what: 'text', read: () => apiText('/apis') },
])('has no answer where it breaks off in the middle of $what', async ({ read }) => {
  const body = (): ReadableStream => new ReadableStream({ start: (own) => own.error(new TypeError('network error')) });
  globalThis.fetch = () => Promise.resolve(new Response(body()));
  await expect(read()).rejects.toMatchObject({ status: 0, reason: 'Unreachable' });
});

it('tells nobody of what its caller gave up: that is no answer of the network', async () => {
  silent();
  const told = jest.fn();
  const stop = onUnreachable(told);
  const caller = new AbortController();
  const read = apiJson('/apis', { signal: caller.signal });
  caller.abort(new Error('not wanted any more'));
  await expect(read).rejects.toThrow('not wanted any more');
  expect(told).not.toHaveBeenCalled();
  stop();
});

it.each([
  { method: 'PATCH', path: '/apis/g/v1/clusters/demo', want: '/apis/g/v1/clusters/demo?fieldManager=crate-console' },
  { method: 'POST', path: '/api/v1/secrets?dryRun=All', want: '/api/v1/secrets?dryRun=All&fieldManager=crate-console' },
  { method: 'PATCH', path: '/apis/g/v1/x?fieldManager=crate-console-try', want: undefined },
  { method: 'DELETE', path: '/apis/g/v1/x', want: undefined },
  { method: 'GET', path: '/apis/g/v1/x', want: undefined },
  { method: 'POST', path: '/console/session', want: undefined },
] as const)('says whose the fields are that a $method of $path writes', async ({ method, path, want = path }) => {
  const fetched = jest.fn<typeof fetch>(() => Promise.resolve(Response.json({})));
  globalThis.fetch = fetched;
  await apiJson(path, { method });
  expect(fetched.mock.calls[0]?.[0]).toBe(want);
});

it('waits for a stream as long as it takes: watches and logs are never done', () => {
  silent();
  const timeout = jest.spyOn(AbortSignal, 'timeout');
  void apiFetch('/apis?watch=true');
  expect(timeout).not.toHaveBeenCalled();
});
